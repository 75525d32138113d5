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

// Sorts rows by a value, which is computed once for each row.
export function sorted(rows, isDescending, valueOf) {
  const sign = isDescending ? -1 : 1;
  return rows.map(row => ({ row, value: valueOf(row) })).sort((a, b) => {
    // Rows without a value come last in either direction.
    if (a.value == null || b.value == null) return a.value != null ? -1 : b.value != null ? 1 : b.row.id - a.row.id;
    return a.value < b.value ? -sign : a.value > b.value ? sign : b.row.id - a.row.id;
  }).map(({ row }) => row);
}
