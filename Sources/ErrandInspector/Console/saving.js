// Saves the page with its calls, script and style as one file.
import { make, say } from './dom.js';

// In the order in which they use each other.
const modules = ['format', 'filter', 'json', 'hex', 'order', 'waterfall', 'dom', 'connection', 'model', 'rows', 'body', 'details',
  'calls', 'lists', 'outbox', 'saving', 'console'];

// A file cannot import modules, so each becomes a function that returns what it exports.
export function joined(texts) {
  return 'const loaded = {};\n' + texts.map(([name, text]) => {
    const exported = [...text.matchAll(/^export (?:async )?(?:function|const|class) ([\w$]+)/gm)].map(match => match[1]);
    const body = text.replace(/^import (\{[^}]*\}) from '\.\/(\w+)\.js';$/gm, 'const $1 = loaded.$2;').replace(/^export /gm, '');
    return 'loaded.' + name + ' = (() => {\n' + body + '\nreturn { ' + exported.join(', ') + ' };\n})();\n';
  }).join('');
}

export async function save() {
  let page, data, style, texts;
  try {
    const read = async path => (await fetch(path)).text();
    [page, data, style, ...texts] = await Promise.all(['.', 'export', 'console.css', ...modules.map(name => name + '.js')].map(read));
  } catch { return say('The page cannot be saved, because the program cannot be reached.'); }
  const script = joined(modules.map((name, index) => [name, texts[index]]));
  const parts = [
    ['<link rel="stylesheet" href="console.css">', '<style>' + style + '</style>'],
    ['type="application/json">null<', 'type="application/json">' + data.replaceAll('<', '\\u003c') + '<'],
    ['<script type="module" src="console.js">', '<script type="module">' + script.replaceAll('</', '<\\/')],
  ];
  const text = parts.reduce((text, [before, after]) => text.replace(before, () => after), page);
  const url = URL.createObjectURL(new Blob([text], { type: 'text/html' }));
  make('a', { download: 'calls.html', href: url }).click();
  say('Saved.');
}
