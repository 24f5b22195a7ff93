/* A squarified layout: rectangles whose areas are as the values, as near to squares as a greedy choice makes them
   (Bruls, Huizing and van Wijk, 2000). */

/* `values` in falling order; gives for each {x, y, w, h} within the frame. */
function squarify(values, frame) {
  const total = values.reduce((sum, value) => sum + value, 0);
  const scale = total > 0 ? (frame.w * frame.h) / total : 0;
  const places = [];
  let rest = { ...frame };
  let start = 0;
  while (start < values.length) {
    const side = Math.min(rest.w, rest.h);
    let end = start;
    let area = 0;
    let worst = Infinity;
    // A row takes values for as long as that makes its worst rectangle no longer and thinner.
    while (end < values.length) {
      const grown = area + values[end] * scale;
      const thickness = side > 0 ? grown / side : 0;
      const next = Math.max(ratio(values[start] * scale, thickness), ratio(values[end] * scale, thickness));
      if (end > start && next > worst) break;
      worst = next;
      area = grown;
      end += 1;
    }
    rest = placeRow(values.slice(start, end), area, scale, rest, places);
    start = end;
  }
  return places;
}

function ratio(area, thickness) {
  if (!(area > 0) || !(thickness > 0)) return Infinity;
  const length = area / thickness;
  return Math.max(length / thickness, thickness / length);
}

/* Puts one row along the shorter side; gives what is left of the frame. */
function placeRow(values, area, scale, frame, places) {
  const isWide = frame.w >= frame.h;
  const side = isWide ? frame.h : frame.w;
  const thickness = side > 0 ? Math.min(area / side, isWide ? frame.w : frame.h) : 0;
  let at = 0;
  for (const value of values) {
    const length = thickness > 0 ? (value * scale) / thickness : 0;
    places.push(
      isWide
        ? { x: frame.x, y: frame.y + at, w: thickness, h: length }
        : { x: frame.x + at, y: frame.y, w: length, h: thickness },
    );
    at += length;
  }
  return isWide
    ? { x: frame.x + thickness, y: frame.y, w: frame.w - thickness, h: frame.h }
    : { x: frame.x, y: frame.y + thickness, w: frame.w, h: frame.h - thickness };
}

/* The values that get an area worth drawing; what is smaller goes together into one.  Gives how many are drawn. */
function drawable(values, area, least, most) {
  const total = values.reduce((sum, value) => sum + value, 0);
  let count = 0;
  while (count < values.length && count < most && (values[count] / total) * area >= least) count += 1;
  return count;
}
