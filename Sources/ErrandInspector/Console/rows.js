// A list of rows with fixed places: only the visible rows are in the page, each under its key, and changes are written
// into them. A press, a selection or the focus in a row never loses its element.
import { make, setText, setAttribute, hasSelection } from './dom.js';
import { HeldOrder, isHeld, visibleRange } from './order.js';

export class RowList {
  #nodes = new Map();
  // Elements of rows that are not visible any more, for other rows.
  #unused = [];
  #order = new HeldOrder();
  #items = new Map();
  #pointer = false;
  #press = false;
  #released = false;
  #rowHeight;

  // columns: [{ name, label, sorts, paint(cell, item) }]; key(item); choose(item, event); name(item) for screen readers.
  constructor(scroller, options) {
    Object.assign(this, { scroller, ...options });
    this.chosen = null;
    this.#rowHeight = options.rowHeight ?? 26;
    scroller.classList.add('list');
    this.head = make('div', { role: 'row', class: 'head' });
    this.columnHeads = new Map();
    for (const column of this.columns) {
      const cell = make('div', { role: 'columnheader', class: 'cell c-' + column.name });
      if (column.head) column.head(cell);
      else if (column.sorts) {
        cell.append(make('button', { class: 'sort', onclick: () => this.sort(column.name) }, column.label));
      } else cell.append(make('span', {}, column.label));
      this.columnHeads.set(column.name, cell);
      this.head.append(cell);
    }
    const headGroup = make('div', { role: 'rowgroup', class: 'heads' }, this.head);
    this.space = make('div', { role: 'rowgroup', class: 'space' });
    this.empty = make('p', { class: 'empty', hidden: true });
    scroller.append(headGroup, this.space);
    // The button is not above the rows, where it could appear under the pointer.
    this.more = options.more;
    this.more.addEventListener('click', () => this.release());
    scroller.parentElement.append(this.empty);
    scroller.addEventListener('scroll', () => { if (scroller.scrollTop > 0) this.#released = false; this.draw(); });
    new ResizeObserver(() => this.draw()).observe(scroller);
    this.space.addEventListener('pointerenter', () => { this.#pointer = true; });
    this.space.addEventListener('pointerleave', () => { this.#pointer = false; this.#released = false; this.onrelease?.(); });
    this.space.addEventListener('pointerdown', () => { this.#press = true; });
    addEventListener('pointerup', () => { this.#press = false; });
    addEventListener('pointercancel', () => { this.#press = false; });
    document.addEventListener('selectionchange', () => { if (this.waiting && !this.isHeld) this.onrelease?.(); });
    this.space.addEventListener('click', event => {
      const row = event.target.closest('.row');
      // Text that is being selected is not a choice.
      if (row && !hasSelection(row) && !event.target.closest('input, button, a')) this.choose(this.#items.get(row.key) ?? row.item, event);
    });
  }

  get isHeld() {
    return isHeld({ pointer: this.#pointer, press: this.#press, selection: hasSelection(this.space), chosen: this.chosen != null,
      scrolled: this.scroller.scrollTop > 0, released: this.#released });
  }

  get keys() { return this.#order.shown; }
  item(key) { return this.#items.get(key); }

  // Shows what became of an item.
  replace(item) {
    if (!this.#items.has(this.key(item))) return;
    this.#items.set(this.key(item), item);
    this.draw();
  }

  // Shows these items in this order, or keeps the order while the reader holds the list.
  update(items, { moves = false } = {}) {
    const held = this.isHeld && !moves;
    const wanted = items.map(this.key);
    const fresh = new Map(items.map((item, index) => [wanted[index], item]));
    const waiting = this.#order.update(wanted, held);
    if (held) {
      for (const key of this.#order.shown) {
        const known = this.#items.get(key);
        if (!fresh.has(key) && known) fresh.set(key, known);
      }
    }
    this.#items = fresh;
    this.waiting = waiting;
    setText(this.more, waiting ? waiting.toLocaleString('en-US') + ' new' : '');
    this.more.hidden = !waiting;
    this.empty.hidden = this.#order.shown.length > 0;
    if (!this.empty.hidden) setText(this.empty, this.emptyText?.() ?? '');
    this.draw();
  }

  // Shows the rows that wait, from the top.
  release() {
    this.#released = true;
    getSelection().removeAllRanges();
    this.scroller.scrollTop = 0;
    this.onrelease?.();
  }

  draw() {
    const order = this.#order.shown, height = this.#rowHeight;
    this.space.style.height = order.length * height + 'px';
    setAttribute(this.scroller, 'aria-rowcount', order.length + 1);
    const { first, end } = visibleRange(this.scroller.scrollTop, this.scroller.clientHeight, height, order.length);
    const visible = new Set();
    for (let index = first; index < end; index += 1) visible.add(order[index]);
    this.visible = [...visible].map(key => this.#items.get(key)).filter(Boolean);
    this.beforePaint?.(this.visible);
    for (const [key, node] of this.#nodes) {
      if (!visible.has(key) && !hasSelection(node) && !node.contains(document.activeElement)) {
        this.#nodes.delete(key);
        this.#unused.push(node);
      }
    }
    // Screen readers read the rows in the order of the page's elements. A row that keeps its place is not touched.
    let before = null;
    for (let index = first; index < end; index += 1) {
      const key = order[index], item = this.#items.get(key);
      if (!item) continue;
      const node = this.#nodes.get(key) ?? this.#make(key);
      const place = before ? before.nextSibling : this.space.firstChild;
      if (node !== place) this.space.insertBefore(node, place);
      before = node;
      this.#paint(node, item, index);
    }
    for (const node of this.#unused) node.remove();
    this.#unused.length = Math.min(this.#unused.length, 100);
  }

  #make(key) {
    let node = this.#unused.pop();
    if (!node) {
      node = make('div', { role: 'row', class: 'row' });
      for (const column of this.columns) node.append(make('div', { role: 'gridcell', class: 'cell c-' + column.name }));
    }
    node.id = this.scroller.id + '-' + key;
    [node.key, node.dataset.key] = [key, key];
    this.#nodes.set(key, node);
    return node;
  }

  #paint(node, item, index) {
    node.item = item;
    const top = index * this.#rowHeight + 'px';
    if (node.style.top !== top) node.style.top = top;
    setAttribute(node, 'aria-rowindex', index + 2);
    setAttribute(node, 'aria-selected', this.key(item) === this.chosen);
    const name = 'row ' + (this.rowClass?.(item) ?? '');
    if (node.className !== name) node.className = name;
    this.columns.forEach((column, place) => column.paint(node.children[place], item));
  }

  mark(key) {
    this.chosen = key;
    if (key == null) this.#released = false;
    setAttribute(this.scroller, 'aria-activedescendant', key == null ? null : this.scroller.id + '-' + key);
    this.draw();
  }

  // Moves the choice by some rows, and returns the item.
  step(by) {
    const order = this.#order.shown, index = order.indexOf(this.chosen);
    if (!order.length) return null;
    const next = index < 0 ? 0 : Math.max(0, Math.min(order.length - 1, index + by));
    const top = next * this.#rowHeight, { scroller } = this, room = scroller.clientHeight - this.head.offsetHeight;
    if (top < scroller.scrollTop) scroller.scrollTop = top;
    else if (top + this.#rowHeight > scroller.scrollTop + room) scroller.scrollTop = top + this.#rowHeight - room;
    return this.#items.get(order[next]);
  }

  showSort(name, isDescending) {
    for (const [column, cell] of this.columnHeads) {
      setAttribute(cell, 'aria-sort', column === name ? (isDescending ? 'descending' : 'ascending') : null);
    }
  }
}
