import { describe, it } from 'node:test';
import assert from 'node:assert/strict';
import {
  createTrack, readDuration, showDuration, trackKey,
} from '../src/track.js';
import {
  locateMoment, moveTrack, playingTime, startTimes, withoutRepeats,
} from '../src/playlist.js';
import { fitInto } from '../src/program.js';
import {
  countClashes, nextState, shuffleTracks, spreadArtists, takeTurns,
} from '../src/shuffle.js';

const rain = createTrack('Rain', 'Ann', 120);
const wind = createTrack('Wind', 'Ann', 60);
const snow = createTrack('Snow', 'Bob', 200);
const list = [rain, wind, snow];

describe('track', () => {
  it('createTrack checks title and length', () => {
    assert.deepEqual(createTrack('Hail', 'Cy', 1), {
      title: 'Hail', artist: 'Cy', seconds: 1,
    });
    assert.throws(() => createTrack(' ', 'Cy', 9), /needs a title/);
    assert.throws(() => createTrack('Hail', 'Cy', 0), {
      name: 'RangeError', message: 'bad track length: 0',
    });
    assert.throws(() => createTrack('Hail', 'Cy', 1.5), RangeError);
  });
  for (const [seconds, want] of [
    [187, '3:07'], [3540, '59:00'], [3600, '1:00:00'], [40210, '11:10:10'],
  ]) {
    it('showDuration of ' + seconds, () => {
      assert.equal(showDuration(seconds), want);
      assert.equal(readDuration(want), seconds);
    });
  }
  it('readDuration reads seconds and refuses other text', () => {
    assert.equal(readDuration('75'), 75);
    assert.equal(readDuration('0:05'), 5);
    assert.equal(showDuration(4149), '1:09:09');
    for (const text of ['1:2:3:4', '3:', 'x', '1:-2']) {
      assert.throws(() => readDuration(text), {
        message: 'bad duration: ' + text,
      });
    }
  });
  it('trackKey ignores case and edges', () => {
    const track = { title: ' The Rain ', artist: 'ANN ' };
    assert.equal(trackKey(track), 'ann/the rain');
  });
});

describe('playlist', () => {
  it('playingTime sums the seconds', () => {
    assert.equal(playingTime(list), 380);
    assert.equal(playingTime([]), 0);
  });
  it('moveTrack goes forward and back', () => {
    assert.deepEqual(moveTrack(list, 0, 2), [wind, snow, rain]);
    assert.deepEqual(moveTrack(list, 2, 1), [rain, snow, wind]);
    assert.equal(list[0], rain);
  });
  it('withoutRepeats keeps the first', () => {
    const again = createTrack('rain', 'ann', 5);
    assert.deepEqual(withoutRepeats([...list, again, snow]), list);
  });
  it('locateMoment finds the track', () => {
    assert.deepEqual(locateMoment(list, 119), { index: 0, offset: 119 });
    assert.deepEqual(locateMoment(list, 120), { index: 1, offset: 0 });
    assert.deepEqual(locateMoment(list, 190), { index: 2, offset: 10 });
    assert.equal(locateMoment(list, 380), null);
  });
  it('startTimes begin at 0', () => {
    assert.deepEqual(startTimes(list), [0, 120, 180]);
  });
  it('fitInto stops at the first that is too long', () => {
    assert.deepEqual(fitInto(list, 180), [rain, wind]);
    assert.deepEqual(fitInto(list, 179), [rain]);
    assert.deepEqual(fitInto(list, 300), [rain, wind]);
    assert.deepEqual(fitInto([snow, wind], 100), []);
  });
});

describe('shuffle', () => {
  it('nextState follows the rule', () => {
    assert.equal(nextState(1), 13448);
    assert.equal(nextState(2000000000), 534305849);
  });
  it('shuffleTracks depends on the seed', () => {
    const letters = ['a', 'b', 'c', 'd', 'e'];
    assert.equal(shuffleTracks(letters, 1).join(''), 'ceabd');
    assert.equal(shuffleTracks(letters, 2).join(''), 'edacb');
    assert.equal(letters.join(''), 'abcde');
  });
  it('takeTurns goes around', () => {
    assert.deepEqual(takeTurns([[1, 4], [2, 5, 6], [3]]), [1, 2, 3, 4, 5, 6]);
    assert.deepEqual(takeTurns([]), []);
  });
  it('countClashes looks at neighbours', () => {
    assert.equal(countClashes([rain, wind, wind, snow]), 2);
    assert.equal(countClashes([rain, snow, wind]), 0);
  });
  it('spreadArtists avoids clashes', () => {
    assert.deepEqual(spreadArtists(list), [rain, snow, wind]);
    const hail = createTrack('Hail', 'Bob', 30);
    assert.deepEqual(spreadArtists([...list, hail]), [rain, snow, wind, hail]);
    assert.deepEqual(spreadArtists([rain, wind]), [rain, wind]);
  });
});
