// The filter of the calls: `status:5xx host:api -type:image time>1s "some text"`. Pure.
import { hostOf, nameOf, shortType } from './format.js';

const keys = new Set(['status', 'host', 'method', 'type', 'name', 'url', 'state', 'cache', 'scope', 'size', 'time',
  'attempts', 'priority', 'purpose', 'is']);
const numbers = new Set(['status', 'size', 'time', 'attempts']);

// Splits a text into words. A quotation mark begins and ends a part that may contain spaces.
function words(text) {
  const found = [];
  let word = '', isQuoted = false, wasQuoted = false, began = false;
  for (const character of text) {
    if (character === '"') [isQuoted, began, wasQuoted] = [!isQuoted, true, wasQuoted || word === '' || word === '-'];
    else if (/\s/.test(character) && !isQuoted) {
      if (began) found.push({ word, wasQuoted });
      [word, began, wasQuoted] = ['', false, false];
    } else [word, began] = [word + character, true];
  }
  if (began) found.push({ word, wasQuoted });
  return found;
}

// A number with a unit: bytes for sizes, milliseconds for times. NaN if it is neither.
export function quantity(text, key) {
  const match = /^([0-9]*\.?[0-9]+)\s*([a-z]*)$/i.exec(text.trim());
  if (!match) return NaN;
  const units = key === 'size' ? { '': 1, b: 1, k: 1e3, kb: 1e3, m: 1e6, mb: 1e6, g: 1e9, gb: 1e9 }
    : key === 'time' ? { '': 1, ms: 1, s: 1e3, min: 6e4, h: 36e5 } : { '': 1 };
  return Number(match[1]) * (units[match[2].toLowerCase()] ?? NaN);
}

// Returns the terms of a filter. A call has to match all of them.
export function parse(text) {
  return words(text).flatMap(({ word, wasQuoted }) => {
    const not = word.startsWith('-') && word.length > 1;
    const body = not ? word.slice(1) : word;
    if (!wasQuoted) {
      const match = /^([a-z]+)(:?)(>=|<=|>|<|)(.*)$/is.exec(body);
      const key = match?.[1].toLowerCase();
      if (match && keys.has(key) && (match[2] || numbers.has(key) && match[3])) {
        const [sign, value] = numbers.has(key) ? [match[3] || ':', match[4]] : [':', match[3] + match[4]];
        const term = { key, sign, value: value.toLowerCase(), not };
        // A filter that is being typed matches everything.
        return value === '' ? [] : [{ ...term, fault: isUnderstood(term) ? null : body }];
      }
    }
    return body === '' ? [] : [{ key: 'text', sign: ':', value: body.toLowerCase(), not }];
  });
}

const conditions = new Set(['running', 'waiting', 'finished', 'failed', 'cancelled', 'slow', 'shared', 'cached', 'retried']);

function isUnderstood({ key, sign, value }) {
  if (sign !== ':') return !Number.isNaN(quantity(value, key));
  if (key === 'status') return /^(\d[\dx]{0,2}|\d{3}-\d{3})$/.test(value);
  if (key === 'is' || key === 'state') return conditions.has(value);
  return key === 'time' ? false : !numbers.has(key) || !Number.isNaN(quantity(value, key));
}

// The words that are not understood. They exclude nothing.
export const faults = terms => terms.map(term => term.fault).filter(Boolean);

function compares(value, sign, text, key) {
  const limit = quantity(text, key);
  if (value == null || Number.isNaN(limit)) return false;
  return sign === '>' ? value > limit : sign === '<' ? value < limit : sign === '>=' ? value >= limit : value <= limit;
}

function hasStatus(status, value) {
  const text = String(status ?? '');
  const range = /^(\d{3})-(\d{3})$/.exec(value);
  if (range) return status >= Number(range[1]) && status <= Number(range[2]);
  return /^\d[\dx]{0,2}$/.test(value)
    ? text.length === 3 && [...value].every((digit, index) => digit === 'x' || digit === text[index]) : false;
}

function matchesTerm(term, call, now) {
  const { key, sign, value } = term, took = (call.end ?? now) - call.began;
  if (sign !== ':') {
    return compares({ status: call.status, size: call.bytes, time: took, attempts: call.attempts }[key], sign, value, key);
  }
  const includes = text => String(text ?? '').toLowerCase().includes(value);
  switch (key) {
    case 'status': return hasStatus(call.status, value);
    case 'host': return includes(hostOf(call.url));
    case 'method': return includes(call.method);
    case 'type': return includes(call.type) || shortType(call.type) === value;
    case 'name': return includes(nameOf(call.url));
    case 'url': return includes(call.url);
    case 'state': case 'is':
      if (value === 'slow') return took > 1000;
      if (value === 'shared') return call.shares != null;
      if (value === 'cached') return call.isCached === true;
      if (value === 'retried') return call.attempts > 1;
      return value === 'running' ? call.end == null : value === 'waiting' ? call.state === 'waiting' : call.state === value;
    case 'cache': return includes(cacheWord(call)) || includes(call.cache);
    case 'scope': return (call.scopes ?? []).some(scope => includes(scope));
    case 'priority': return includes(call.priority);
    case 'purpose': return includes(call.purpose);
    case 'size': return call.bytes === quantity(value, key);
    case 'attempts': return call.attempts === Number(value);
    default: return includes(call.method + ' ' + call.url + ' ' + call.outcome + ' ' + (call.type ?? ''));
  }
}

// The word of the column "Cache". A shared response is not a cached one.
export function cacheWord(call) {
  if (call.shares != null) return call.shares ? 'shared #' + call.shares : 'shared';
  if (call.isCached) return 'hit';
  return call.cache ? 'miss' : '';
}

export const matches = (terms, call, now) => terms.every(term => term.fault || matchesTerm(term, call, now) !== term.not);
