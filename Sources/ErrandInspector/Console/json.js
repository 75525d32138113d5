// Reads JSON without changing it: numbers, strings and names keep their text, and a repeated name stays. Pure.

const spaces = new Set([' ', '\n', '\r', '\t']);

// Returns { tree, isWhole, end }. A text that is not JSON gives null. A text that was cut gives the part before the cut.
// A node is { kind: 'object' | 'array', entries: [{ name, value }] } or { kind: 'string' | 'number' | 'word', text }.
export function read(text) {
  const root = { kind: 'root', entries: [] }, open = [root];
  let index = 0, name = null, needsValue = true, isCut = false;
  const skip = () => { while (index < text.length && spaces.has(text[index])) index += 1; };
  const stringAt = () => {
    let end = index + 1;
    while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
    if (end >= text.length) return null;
    const found = text.slice(index, end + 1);
    index = end + 1;
    return found;
  };
  const put = node => {
    open.at(-1).entries.push({ name, value: node });
    [name, needsValue] = [null, false];
  };
  for (skip(); index < text.length; skip()) {
    const holder = open.at(-1), character = text[index];
    if (holder === root && !needsValue) return null;
    if ((character === '}' && holder.kind === 'object') || (character === ']' && holder.kind === 'array')) {
      if (needsValue && holder.entries.length) return null;
      if (name != null) return null;
      open.pop();
      index += 1;
      needsValue = false;
    } else if (!needsValue) {
      if (character !== ',') return null;
      index += 1;
      needsValue = true;
    } else if (holder.kind === 'object' && name == null) {
      if (character !== '"') return null;
      name = stringAt();
      if (name == null) { isCut = true; break; }
      skip();
      if (index >= text.length) { isCut = true; break; }
      if (text[index] !== ':') return null;
      index += 1;
    } else if (character === '{' || character === '[') {
      const node = { kind: character === '{' ? 'object' : 'array', entries: [] };
      put(node);
      open.push(node);
      // A deeper text is shown as it is.
      if (open.length > 1000) return null;
      needsValue = true;
      index += 1;
    } else if (character === '"') {
      const found = stringAt();
      if (found == null) { isCut = true; break; }
      put({ kind: 'string', text: found });
    } else {
      const match = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/.exec(text.slice(index, index + 1000));
      if (!match) {
        // A number longer than this is not a number, or is cut.
        if (/^[-+.\w]*$/.test(text.slice(index)) && holder !== root) { isCut = true; break; }
        return null;
      }
      index += match[0].length;
      // The cut may be within a number.
      if (index === text.length && holder !== root) { isCut = true; break; }
      put({ kind: /[tfn]/.test(match[0][0]) ? 'word' : 'number', text: match[0] });
    }
  }
  const tree = root.entries[0]?.value;
  return tree ? { tree, isWhole: !isCut && open.length === 1 } : null;
}

// The laid-out text, with each value as it came.
export function layOut(tree) {
  const lines = [];
  const write = (node, indent, before, after) => {
    if (!node.entries) return lines.push(indent + before + node.text + after);
    const [start, end] = node.kind === 'object' ? '{}' : '[]';
    if (!node.entries.length) return lines.push(indent + before + start + end + after);
    // The indentation ends at some depth, so that the text does not grow with the square of the depth.
    lines.push(indent + before + start);
    node.entries.forEach((entry, index) => write(entry.value, indent.length < 200 ? indent + '  ' : indent,
      entry.name == null ? '' : entry.name + ': ', index + 1 < node.entries.length ? ',' : ''));
    lines.push(indent + end + after);
  };
  write(tree, '', '', '');
  return lines.join('\n');
}
