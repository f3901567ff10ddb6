import test from 'node:test';
import assert from 'node:assert/strict';
import { VirtualClock, pause } from '../src/clock.js';
import {
  announce, fadeVolume, insertJingles, withDeadline,
} from '../src/program.js';

test('VirtualClock advance runs what is due in order', () => {
  const clock = new VirtualClock(10);
  const seen = [];
  clock.after(5, () => seen.push('late ' + clock.now));
  clock.after(2, () => seen.push('soon ' + clock.now));
  clock.after(6, () => seen.push('never'));
  clock.advance(5);
  assert.deepEqual(seen, ['soon 12', 'late 15']);
  assert.equal(clock.now, 15);
});

test('VirtualClock advance runs actions of actions', () => {
  const clock = new VirtualClock();
  const seen = [];
  clock.after(1, () => clock.after(2, () => seen.push(clock.now)));
  clock.advance(4);
  assert.deepEqual(seen, [3]);
  assert.equal(clock.now, 4);
});

test('VirtualClock cancel tells whether it was waiting', () => {
  const clock = new VirtualClock();
  const first = clock.after(1, () => {});
  const second = clock.after(2, () => {});
  assert.equal(clock.cancel(first), true);
  assert.equal(clock.cancel(first), false);
  assert.deepEqual(clock.alarms, [second]);
});

test('VirtualClock upcoming prefers the one planned first', () => {
  const clock = new VirtualClock();
  assert.equal(clock.upcoming(), null);
  clock.after(7, () => {});
  const first = clock.after(3, () => {});
  clock.after(3, () => {});
  assert.equal(clock.upcoming(), first);
});

test('VirtualClock after refuses the past', () => {
  const clock = new VirtualClock(4);
  assert.throws(() => clock.after(-1, () => {}), {
    name: 'RangeError', message: 'delay must not be negative',
  });
  assert.equal(clock.after(0, () => {}).due, 4);
});

test('pause resolves with the time', async () => {
  const clock = new VirtualClock();
  const waiting = pause(clock, 8);
  clock.advance(20);
  assert.equal(await waiting, 8);
});

test('announce tells each start', async () => {
  const clock = new VirtualClock();
  const tracks = [{ title: 'A', seconds: 3 }, { title: 'B', seconds: 4 }];
  const seen = [];
  const done = announce(clock, tracks, (title, now) => {
    seen.push(title + now);
  });
  clock.advance(3);
  await Promise.resolve();
  clock.advance(4);
  assert.equal(await done, 7);
  assert.deepEqual(seen, ['A0', 'B3']);
});

test('withDeadline gives a value in time', async () => {
  const clock = new VirtualClock();
  const value = withDeadline(clock, pause(clock, 4), 5);
  clock.advance(9);
  assert.equal(await value, 4);
});

test('withDeadline rejects when too late', async () => {
  const clock = new VirtualClock();
  const value = withDeadline(clock, new Promise(() => {}), 5);
  clock.advance(5);
  await assert.rejects(value, { message: 'too late after 5 seconds' });
});

for (const [every, want] of [[1, 'a!b!c!d'], [2, 'ab!cd'], [4, 'abcd']]) {
  test('insertJingles after every ' + every, () => {
    const mixed = insertJingles(['a', 'b', 'c', 'd'], '!', every);
    assert.equal(mixed.join(''), want);
  });
}

test('fadeVolume falls at the end', () => {
  const moments = [0, 50, 51, 55, 57, 60, 61];
  const volumes = moments.map((moment) => fadeVolume(moment, 60, 10));
  assert.deepEqual(volumes, [100, 100, 90, 50, 30, 0, 0]);
  assert.equal(fadeVolume(59, 60, 3), 33);
});
