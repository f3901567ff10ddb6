/** Counts of products by their code; no count is ever negative. */
export class Stock {
  constructor() {
    this.counts = new Map();
  }

  /** How many pieces of a product there are. */
  count(code) {
    return this.counts.get(code) ?? 0;
  }

  /** Adds pieces of a product and returns the new count. */
  receive(code, pieces) {
    if (pieces <= 0) throw new RangeError('nothing to receive');
    const total = this.count(code) + pieces;
    this.counts.set(code, total);
    return total;
  }

  /** Takes pieces away; fails when there are too few. */
  remove(code, pieces) {
    const left = this.count(code) - pieces;
    if (left < 0) {
      throw new Error('only ' + this.count(code) + ' of ' + code);
    }
    this.counts.set(code, left);
    return left;
  }

  /** Takes as many as there are, up to the wanted number. */
  takeUpTo(code, wanted) {
    const taken = Math.min(wanted, this.count(code));
    this.remove(code, taken);
    return taken;
  }

  /** Codes with at least one piece, in alphabetical order. */
  codes() {
    const known = [...this.counts.keys()];
    return known.filter((code) => this.count(code) > 0).sort();
  }
}
