// Bytes as hexadecimal numbers with their characters, 16 a line. Pure.

export function hexLines(bytes, first = 0, count = Infinity) {
  const lines = [], end = Math.min(bytes.length, first + count);
  for (let offset = first; offset < end; offset += 16) {
    const part = bytes.slice(offset, Math.min(end, offset + 16));
    const numbers = Array.from(part, byte => byte.toString(16).padStart(2, '0'));
    const left = numbers.slice(0, 8).join(' '), right = numbers.slice(8).join(' ');
    const text = Array.from(part, byte => byte >= 32 && byte < 127 ? String.fromCharCode(byte) : '·').join('');
    lines.push(offset.toString(16).padStart(8, '0') + '  ' + left.padEnd(23) + '  ' + right.padEnd(23) + '  ' + text);
  }
  return lines;
}

export function bytesOf(base64) {
  const text = atob(base64), bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index += 1) bytes[index] = text.charCodeAt(index);
  return bytes;
}
