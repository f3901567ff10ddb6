/** Smallest rectangle around points: left, top, right, bottom. */
export function boundingBox(points) {
  const xs = points.map((place) => place.x);
  const ys = points.map((place) => place.y);
  return {
    left: Math.min(...xs),
    top: Math.min(...ys),
    right: Math.max(...xs),
    bottom: Math.max(...ys),
  };
}

/** Number of cells in a rectangle; its edges belong to it. */
export function boxCells(box) {
  const width = box.right - box.left + 1;
  return width * (box.bottom - box.top + 1);
}

/** Tells whether a point lies in a rectangle or on its edge. */
export function inBox(box, place) {
  if (place.x < box.left || place.x > box.right) return false;
  return place.y >= box.top && place.y <= box.bottom;
}

/** Positive when c lies on one side of a line, 0 when on it. */
export function sideOfLine(a, b, c) {
  const along = (b.x - a.x) * (c.y - a.y);
  const across = (b.y - a.y) * (c.x - a.x);
  return along - across;
}

/** Twice the area inside a closed chain of corners. */
export function doubleArea(corners) {
  let sum = 0;
  for (let i = 0; i < corners.length; i++) {
    const next = corners[(i + 1) % corners.length];
    sum += corners[i].x * next.y - corners[i].y * next.x;
  }
  return Math.abs(sum);
}

/** Length of a chain of points along rows and columns. */
export function chainLength(points, distance) {
  let length = 0;
  for (let i = 1; i < points.length; i++) {
    length += distance(points[i - 1], points[i]);
  }
  return length;
}
