/** Answers the slot of a key's name in a cluster, 0 to 16383: of what stands in its first braces, or of the whole. */
export function slotOf(name: string): number {
  const open = name.indexOf("{");
  const close = name.indexOf("}", open + 1);
  const tagged = open >= 0 && close > open + 1;
  // names are ASCII, so that characters are bytes
  const [from, to] = tagged ? [open + 1, close] : [0, name.length];
  let crc = 0;
  for (let i = from; i < to; i++) {
    crc = ((crc << 8) & 0xffff) ^ table[(crc >> 8) ^ name.charCodeAt(i)]!;
  }
  return crc % 16_384;
}

/** CRC-16/XMODEM, as the cluster's specification asks. */
const table: Uint16Array = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
  return crc;
});
