// Small helpers for the page. Data from requests becomes text, never HTML.

// Signs that would change the direction of the page's own words are shown as their names.
const shown = text => /[\u202A-\u202E\u2066-\u2069]/.test(text)
  ? text.replace(/[\u202A-\u202E\u2066-\u2069]/g, sign => '‹U+' + sign.charCodeAt(0).toString(16).toUpperCase() + '›') : text;

export const $ = id => document.getElementById(id);

export function make(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value == null || (value === false && !key.startsWith('aria-'))) continue;
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true && !key.startsWith('aria-') ? '' : value);
  }
  node.append(...children.filter(child => child != null && child !== '').map(child => child instanceof Node ? child : shown(String(child))));
  return node;
}

// Writes only what has changed, so that a selection in the text stays.
export function setText(node, text) {
  const value = text == null ? '' : shown(String(text));
  if (node.textContent !== value) node.textContent = value;
}

export function setAttribute(node, name, value) {
  if (value == null || value === false) {
    if (node.hasAttribute(name)) node.removeAttribute(name);
  } else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
}

// True if the reader has selected text within the node.
export function hasSelection(node) {
  const selection = getSelection();
  return !selection.isCollapsed && selection.rangeCount > 0 && selection.getRangeAt(0).intersectsNode(node);
}

let clearing = null;
export function say(text) {
  setText($('message'), text);
  clearTimeout(clearing);
  clearing = setTimeout(() => { $('message').textContent = ''; }, 4000);
}

export async function copy(text, what = '') {
  try {
    await navigator.clipboard.writeText(text);
    say(what ? 'Copied: ' + what + '.' : 'Copied.');
  } catch { say('The browser refused to copy.'); }
}

export const copyButton = (text, what, label = 'Copy') =>
  make('button', { class: 'small', 'aria-label': label === 'Copy' ? 'Copy ' + what : null,
    onclick: () => copy(typeof text === 'function' ? text() : text, what) }, label);

// Asks a question, and returns true if the reader agrees. While one is open, no other one is asked.
export function ask(title, text, action) {
  const dialog = $('question');
  if (dialog.open) return false;
  $('question-title').textContent = title;
  $('question-text').textContent = text;
  $('question-yes').textContent = action;
  dialog.returnValue = '';
  dialog.showModal();
  $('question-no').focus();
  return new Promise(resolve => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'), { once: true });
  });
}

// Tabs, of which the arrow keys choose one. `choose` is called with the name of the chosen tab.
export function makeTabs(list, names, choose) {
  const buttons = new Map();
  const select = (name, focuses = false) => {
    for (const [other, button] of buttons) {
      button.setAttribute('aria-selected', other === name);
      button.tabIndex = other === name ? 0 : -1;
    }
    if (focuses) buttons.get(name).focus();
  };
  for (const [name, label] of names) {
    const button = make('button', { role: 'tab', id: list.id + '-' + name, 'aria-controls': list.dataset.panel,
      onclick: () => { select(name); choose(name); } }, label);
    buttons.set(name, button);
    list.append(button);
  }
  list.addEventListener('keydown', event => {
    const all = names.map(([name]) => name).filter(name => !buttons.get(name).hidden);
    const index = all.findIndex(name => buttons.get(name).getAttribute('aria-selected') === 'true');
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = all[(index + step + all.length) % all.length];
    select(next, true);
    choose(next);
  });
  return { select, button: name => buttons.get(name) };
}
