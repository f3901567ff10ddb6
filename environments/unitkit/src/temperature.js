const ABSOLUTE_ZERO = -273;

/** Converts degrees Celsius to degrees Fahrenheit. */
export function toFahrenheit(celsius) {
  return (celsius * 9) / 5 + 32;
}

/** Converts degrees Fahrenheit to degrees Celsius. */
export function toCelsius(fahrenheit) {
  return ((fahrenheit - 32) * 5) / 9;
}

/** Converts degrees Celsius to kelvins, in whole degrees. */
export function toKelvin(celsius) {
  if (celsius < ABSOLUTE_ZERO) throw new RangeError('too cold');
  return celsius - ABSOLUTE_ZERO;
}

/** Converts between the scales C, F and K. */
export function changeScale(degrees, from, into) {
  let celsius = degrees;
  if (from === 'F') celsius = toCelsius(degrees);
  if (from === 'K') celsius = degrees + ABSOLUTE_ZERO;
  if (into === 'F') return toFahrenheit(celsius);
  if (into === 'K') return toKelvin(celsius);
  return celsius;
}

/** Names how warm it feels. */
export function describeWarmth(celsius) {
  if (celsius <= 0) return 'freezing';
  if (celsius < 15) return 'cool';
  if (celsius < 25) return 'mild';
  return 'hot';
}
