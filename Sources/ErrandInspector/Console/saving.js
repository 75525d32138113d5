// Saves the page with its calls, script and style as one file.
import { make, say } from './dom.js';

// In the order in which they use each other.
const modules = ['format', 'filter', 'json', 'hex', 'order', 'waterfall', 'dom', 'connection', 'model', 'rows', 'body', 'details',
  'calls', 'lists', 'outbox', 'saving', 'console'];

// A file cannot import modules, so each becomes a function that returns what it exports.
export function joined(texts) {
  return 'const modules = {};\n' + texts.map(([name, text]) => {
    const exported = [...text.matchAll(/^export (?:async )?(?:function|const|class) ([\w$]+)/gm)].map(match => match[1]);
    const body = text.replace(/^import (\{[^}]*\}) from '\.\/(\w+)\.js';$/gm, 'const $1 = modules.$2;').replace(/^export /gm, '');
    return 'modules.' + name + ' = (() => {\n' + body + '\nreturn { ' + exported.join(', ') + ' };\n})();\n';
  }).join('');
}

export async function save() {
  let data, style, texts;
  try {
    const read = async path => (await fetch(path)).text();
    [data, style, ...texts] = await Promise.all(['export', 'console.css', ...modules.map(name => name + '.js')].map(read));
  } catch { return say('The page cannot be saved, because the program cannot be reached.'); }
  const html = new DOMParser().parseFromString(await (await fetch('')).text(), 'text/html');
  html.querySelector('#data').textContent = data.replaceAll('<', '\\u003c');
  html.querySelector('script[src]').replaceWith(Object.assign(html.createElement('script'),
    { type: 'module', textContent: joined(modules.map((name, index) => [name, texts[index]])).replaceAll('</', '<\\/') }));
  html.querySelector('link[rel=stylesheet]').replaceWith(Object.assign(html.createElement('style'), { textContent: style }));
  const url = URL.createObjectURL(new Blob(['<!DOCTYPE html>' + html.documentElement.outerHTML], { type: 'text/html' }));
  make('a', { download: 'calls.html', href: url }).click();
  say('Saved.');
}
