/** Score from judges: the mean without one lowest and one highest. */
export function judgedScore(marks) {
  if (marks.length < 3) throw new RangeError('three judges are needed');
  const sorted = [...marks].sort((low, high) => low - high);
  const inner = sorted.slice(1, -1);
  let total = 0;
  for (const mark of inner) total += mark;
  return total / inner.length;
}

/** Score of a performance: difficulty times score, minus faults. */
export function finalScore(marks, difficulty, faults) {
  const score = judgedScore(marks) * difficulty - faults * 2;
  return Math.max(score, 0);
}

/** Adds the best few of many scores. */
export function bestScores(scores, count) {
  const sorted = [...scores].sort((low, high) => high - low);
  let total = 0;
  for (const score of sorted.slice(0, count)) total += score;
  return total;
}

/** Medals for sorted scores; equal scores get the same medal. */
export function medals(sorted) {
  const names = ['gold', 'silver', 'bronze'];
  const given = [];
  for (let i = 0; i < sorted.length; i++) {
    const place = sorted.indexOf(sorted[i]);
    given.push(place < names.length ? names[place] : 'none');
  }
  return given;
}
