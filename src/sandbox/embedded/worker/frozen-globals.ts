/** Imported before the shell: its `date` and $RANDOM must give the same in every run. Limits use performance.now(). */
const NOW = Date.UTC(2024, 0, 1);
const RealDate = Date;
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [NOW] : args, newTarget),
  apply: () => new RealDate(NOW).toString(),
});
RealDate.now = () => NOW;

let state = 1;
Math.random = () => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
};
/** Every command starts the sequence anew. */
export function resetRandom(): void {
  state = 1;
}
