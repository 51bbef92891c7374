/**
 * Returns the cluster slot of a key name, 0 to 16383: of the text in its first braces unless empty, or of the whole
 * name.
 */
export function slotOf(name: string): number {
  const open = name.indexOf("{");
  const close = name.indexOf("}", open + 1);
  const tagged = open >= 0 && close > open + 1;
  const [from, to] = tagged ? [open + 1, close] : [0, name.length];
  let crc = 0;
  for (let i = from; i < to; i++) {
    const byte = name.charCodeAt(i);
    // Our names are ASCII, one byte per character; a prefix that a client adds may not be.
    if (byte > 0x7f) return slotOfBytes(Buffer.from(name.slice(from, to)));
    crc = next(crc, byte);
  }
  return crc % 16_384;
}

function slotOfBytes(bytes: Uint8Array): number {
  return bytes.reduce(next, 0) % 16_384;
}

function next(crc: number, byte: number): number {
  return ((crc << 8) & 0xffff) ^ table[(crc >> 8) ^ byte]!;
}

/** CRC-16/XMODEM, as the cluster specification requires. */
const table: Uint16Array = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
  return crc;
});
