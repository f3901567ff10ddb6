/** Tells whether a year has a 29th of February. */
export function isLeapYear(year) {
  if (year % 400 === 0) return true;
  if (year % 100 === 0) return false;
  return year % 4 === 0;
}

/** Number of days in a year. */
export function yearLength(year) {
  return isLeapYear(year) ? 366 : 365;
}

/** Number of leap years from year 1 up to and with the given one. */
export function leapYearsUntil(year) {
  const fourths = Math.floor(year / 4);
  const hundredths = Math.floor(year / 100);
  return fourths - hundredths + Math.floor(year / 400);
}

/** Days that passed before the first of January of a year. */
export function daysBeforeYear(year) {
  const passed = year - 1;
  return passed * 365 + leapYearsUntil(passed);
}

/** Century of a year: 1901 to 2000 is the twentieth. */
export function centuryOf(year) {
  return Math.floor((year - 1) / 100) + 1;
}
