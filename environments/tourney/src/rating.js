/** Expected score in percent, from the difference of two ratings. */
export function expectedPercent(rating, opponent) {
  const difference = rating - opponent;
  if (difference >= 400) return 99;
  if (difference <= -400) return 1;
  return 50 + Math.round((difference * 45) / 400);
}

/** Change of a rating after a match; the score is 0, 50 or 100. */
export function ratingChange(rating, opponent, score, weight = 32) {
  const expected = expectedPercent(rating, opponent);
  return Math.round(((score - expected) * weight) / 100);
}

/** Both ratings after the first has won, lost or drawn. */
export function rateMatch(first, second, score) {
  const change = ratingChange(first, second, score);
  return [first + change, second - change];
}

/** Title of a player by rating. */
export function ratingTitle(rating) {
  if (rating < 1000) return 'novice';
  if (rating < 1400) return 'player';
  if (rating < 1800) return 'expert';
  return 'master';
}

/** Rating after a pause: a tenth of the way back to 1200 each year. */
export function fadeRating(rating, years) {
  let faded = rating;
  for (let year = 0; year < years; year++) {
    faded -= Math.trunc((faded - 1200) / 10);
  }
  return faded;
}
