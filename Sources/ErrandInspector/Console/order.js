// The order of rows on the screen. Pure.

// While the reader holds the list, its rows keep their places: new rows wait, and removed rows stay as they are.
export class HeldOrder {
  shown = [];
  #places = new Set();

  // Returns the number of rows that wait to be shown.
  update(wanted, isHeld) {
    if (isHeld) return wanted.reduce((count, key) => count + (this.#places.has(key) ? 0 : 1), 0);
    this.shown = wanted;
    this.#places = new Set(wanted);
    return 0;
  }
}

// The reader holds a list while the pointer, a press, selected text, a chosen row or the scroll position is on its rows.
export const isHeld = ({ pointer, press, selection, chosen, scrolled, released }) =>
  Boolean(press || selection || ((pointer || chosen || scrolled) && !released));

// The rows to keep in the page: the visible ones, and some before and after.
export function visibleRange(top, height, rowHeight, count, extra = 8) {
  const first = Math.max(0, Math.min(count, Math.floor(top / rowHeight) - extra));
  return { first, end: Math.min(count, Math.ceil((top + height) / rowHeight) + extra) };
}

export function sorter(column, isDescending, value) {
  const sign = isDescending ? -1 : 1;
  return (a, b) => {
    const [left, right] = [value(column, a), value(column, b)];
    // Rows without a value come last in either direction.
    if (left == null || right == null) return left == null && right == null ? b.id - a.id : left == null ? 1 : -1;
    return left < right ? -sign : left > right ? sign : b.id - a.id;
  };
}
