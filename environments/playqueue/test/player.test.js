import { beforeEach, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { VirtualClock } from '../src/clock.js';
import { RequestQueue } from '../src/queue.js';
import { Player } from '../src/player.js';

const rain = { title: 'Rain', artist: 'Ann', seconds: 10 };
const wind = { title: 'Wind', artist: 'Ann', seconds: 20 };
const snow = { title: 'Snow', artist: 'Bob', seconds: 40 };

describe('RequestQueue', () => {
  let queue;
  beforeEach(() => {
    queue = new RequestQueue();
    queue.request(rain, 2);
    queue.request(wind);
  });
  it('request goes behind as many votes', () => {
    assert.equal(queue.request(snow, 2), 1);
    assert.equal(queue.request(snow, 3), 0);
    assert.equal(queue.request(snow), 4);
    assert.equal(queue.size, 5);
  });
  it('request stops at the limit', () => {
    const small = new RequestQueue(1);
    small.request(rain);
    assert.throws(() => small.request(wind), { message: 'queue is full' });
    for (let i = 0; i < 98; i++) queue.request(snow);
    assert.throws(() => queue.request(snow), { message: 'queue is full' });
    assert.equal(queue.size, 100);
  });
  it('upvote moves an entry', () => {
    assert.equal(queue.upvote(1), 1);
    assert.equal(queue.upvote(1), 0);
    assert.deepEqual(queue.entries[0], { track: wind, votes: 3 });
    assert.equal(queue.size, 2);
  });
  it('upvote refuses a wrong place', () => {
    assert.throws(() => queue.upvote(2), {
      name: 'RangeError', message: 'no entry 2',
    });
    assert.throws(() => queue.upvote(-1), /no entry -1/);
    assert.equal(queue.upvote(0), 0);
    assert.equal(queue.size, 2);
  });
  it('shift takes the first', () => {
    assert.equal(queue.shift(), rain);
    assert.equal(queue.shift(), wind);
    assert.equal(queue.shift(), null);
  });
  it('waitingTime sums what comes before', () => {
    queue.request(snow);
    const times = [0, 1, 2].map((place) => queue.waitingTime(place));
    assert.deepEqual(times, [0, 10, 30]);
  });
});

describe('Player', () => {
  let clock;
  let player;
  beforeEach(() => {
    clock = new VirtualClock();
    player = new Player(clock, new RequestQueue());
    for (const track of [rain, wind, snow]) player.queue.request(track);
  });
  it('play runs through the queue', () => {
    player.play();
    clock.advance(35);
    assert.deepEqual(player.history, [
      { title: 'Rain', end: 10 }, { title: 'Wind', end: 30 },
    ]);
    assert.equal(player.current, snow);
  });
  it('play twice changes nothing', () => {
    player.play();
    player.play();
    clock.advance(10);
    assert.equal(player.history.length, 1);
    assert.equal(clock.alarms.length, 1);
  });
  it('play with an empty queue does nothing', () => {
    const idle = new Player(clock, new RequestQueue());
    idle.play();
    assert.equal(idle.current, null);
    assert.equal(clock.upcoming(), null);
  });
  it('load takes the next track', () => {
    player.load();
    assert.equal(player.current, rain);
    assert.equal(player.rest, 10);
    assert.equal(player.position(), 0);
  });
  it('stop remembers the place', () => {
    player.play();
    clock.advance(4);
    player.stop();
    player.stop();
    clock.advance(100);
    assert.equal(player.position(), 4);
    player.play();
    clock.advance(6);
    assert.deepEqual(player.history, [{ title: 'Rain', end: 110 }]);
  });
  it('skip drops the current track', () => {
    player.play();
    clock.advance(3);
    player.skip();
    assert.equal(player.current, wind);
    clock.advance(20);
    assert.deepEqual(player.history, [{ title: 'Wind', end: 23 }]);
  });
  it('finish notes the track and goes on', () => {
    player.load();
    player.finish();
    assert.deepEqual(player.history, [{ title: 'Rain', end: 0 }]);
    assert.equal(player.current, wind);
  });
  it('position moves with the clock', () => {
    assert.equal(player.position(), 0);
    player.play();
    clock.advance(17);
    assert.equal(player.position(), 7);
  });
});
