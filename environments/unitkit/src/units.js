const TABLE = [
  ['mm', 'length', 1, 'millimetre'], ['cm', 'length', 10, 'centimetre'],
  ['m', 'length', 1000, 'metre'], ['km', 'length', 1000000, 'kilometre'],
  ['g', 'mass', 1, 'gram'], ['kg', 'mass', 1000, 'kilogram'],
  ['t', 'mass', 1000000, 'tonne'],
  ['s', 'time', 1, 'second'], ['min', 'time', 60, 'minute'],
  ['h', 'time', 3600, 'hour'], ['d', 'time', 86400, 'day'],
  ['ml', 'volume', 1, 'millilitre'], ['l', 'volume', 1000, 'litre'],
];

/** All known units: { symbol, kind, factor, name }. */
export const UNITS = TABLE.map(([symbol, kind, factor, name]) => {
  return { symbol, kind, factor, name };
});

/** The unit with a symbol, a name or the plural of a name. */
export function lookUpUnit(word) {
  for (const unit of UNITS) {
    if (word === unit.symbol) return unit;
    if (word === unit.name || word === unit.name + 's') return unit;
  }
  throw new Error('unknown unit: ' + word);
}

/** Units of one kind, smallest first. */
export function unitsOfKind(kind) {
  const matching = UNITS.filter((unit) => unit.kind === kind);
  return matching.sort((small, large) => small.factor - large.factor);
}

/** Tells whether two units measure the same kind of thing. */
export function areComparable(first, second) {
  return lookUpUnit(first).kind === lookUpUnit(second).kind;
}

/** The smallest unit of the kind that a unit belongs to. */
export function baseUnit(word) {
  const { kind } = lookUpUnit(word);
  return unitsOfKind(kind)[0].symbol;
}
