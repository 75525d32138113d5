// Texts for numbers, times and URLs. Pure.

export function duration(ms) {
  if (ms == null) return '';
  if (ms < 0) ms = 0;
  if (ms < 10) return ms.toFixed(1) + ' ms';
  if (ms < 999.5) return ms.toFixed(0) + ' ms';
  if (ms < 9995) return (ms / 1000).toFixed(2) + ' s';
  if (ms < 99_950) return (ms / 1000).toFixed(1) + ' s';
  if (ms < 599_500) return Math.round(ms / 1000) + ' s';
  const minutes = ms / 60_000, whole = value => value.toFixed(1).replace('.0', '');
  if (minutes < 99.95) return whole(minutes) + ' min';
  return minutes < 48 * 60 ? whole(minutes / 60) + ' h' : Math.round(minutes / 1440) + ' days';
}

export function bytes(count) {
  if (count == null) return '';
  if (count < 1000) return count + ' B';
  for (const unit of ['kB', 'MB', 'GB']) {
    count /= 1000;
    if (count < 999.5) return (count < 9.95 ? count.toFixed(1) : count.toFixed(0)) + ' ' + unit;
  }
  return (count / 1000).toFixed(1) + ' TB';
}

export const number = count => count.toLocaleString('en-US');
export const counted = (count, one, many = one + 's') => number(count) + ' ' + (count === 1 ? one : many);

export function clockTime(ms) {
  const date = new Date(ms), two = value => String(value).padStart(2, '0');
  return two(date.getHours()) + ':' + two(date.getMinutes()) + ':' + two(date.getSeconds());
}

export function dateTime(ms) {
  if (ms == null) return '';
  const date = new Date(ms), two = value => String(value).padStart(2, '0');
  return date.getFullYear() + '-' + two(date.getMonth() + 1) + '-' + two(date.getDate()) + ' ' + clockTime(ms) + ' ' + zone(date);
}

function zone(date) {
  const offset = -date.getTimezoneOffset(), two = value => String(Math.floor(value)).padStart(2, '0');
  return offset ? (offset < 0 ? '−' : '+') + two(Math.abs(offset) / 60) + ':' + two(Math.abs(offset) % 60) : 'UTC';
}

export function hostOf(url) {
  const match = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@]*@)?([^/?#]*)/i.exec(url);
  return match ? match[1] : '';
}

// The last part of the path with the query, which tells calls to one server apart.
export function nameOf(url) {
  const rest = url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '');
  const [path, ...query] = rest.split('?');
  const parts = path.split('/').filter(Boolean);
  const name = (parts.at(-1) ?? '/') + (path.endsWith('/') && parts.length ? '/' : '');
  return name + (query.length ? '?' + query.join('?') : '');
}

// A short name of a media type: `application/problem+json` is `json`.
export function shortType(type) {
  if (!type) return '';
  const plain = type.split(';')[0].trim().toLowerCase(), [family, sub = ''] = plain.split('/');
  if (sub === 'json' || sub.endsWith('+json')) return 'json';
  if (sub === 'xml' || sub.endsWith('+xml')) return family === 'image' ? 'svg' : 'xml';
  if (sub.includes('javascript')) return 'script';
  if (sub === 'x-www-form-urlencoded') return 'form';
  if (sub === 'octet-stream') return 'binary';
  if (sub === 'event-stream') return 'events';
  return family === 'image' || family === 'text' ? sub : plain || '';
}

export const isImage = type => /^image\/(png|jpeg|gif|webp)$/i.test((type ?? '').split(';')[0].trim());
