import fc from "fast-check";
import { expect, it } from "vitest";
import { createCensus } from "./census.ts";
import { noSegment } from "./segment.ts";
import { addRow, createTable, findRow, removeRow } from "./table.ts";

it("knows the rows of all tables, and of tables of each size, as going through them does", () => {
  const act = fc.record({ table: fc.nat(3), key: fc.nat(60) });
  fc.assert(
    fc.property(fc.array(act, { maxLength: 400 }), (acts) => {
      const census = createCensus();
      const tables = [0, 1, 2, 3].map(() => createTable(3, census));
      for (const { table: i, key } of acts) {
        const place = { segment: noSegment, at: 0 };
        const hash = new Int32Array([key * 7919, key * 104_729]);
        if (findRow(tables[i]!, hash, place)) removeRow(tables[i]!, place);
        else addRow(tables[i]!, hash, 1, place);
      }
      const bySize = new Array<number>(33).fill(0);
      for (const { size } of tables) bySize[size.toString(2).replace(/^0$/, "").length]! += size;
      expect([...census.bySize]).toEqual(bySize);
      expect(census.rows).toBe(tables.reduce((sum, { size }) => sum + size, 0));
    }),
  );
});
