import { z } from "zod";
import { expecting } from "../../options/expecting.ts";
import { isWhole } from "../../whole.ts";
import { ipv6PrefixSchema } from "../options/http-schemas.ts";

/** How many bits of an IPv6 address identify a client, unless an option says otherwise. */
export const defaultIpv6Prefix = 64;

/** The schema of how much of an address identifies a client. */
export const prefixesSchema: z.ZodType = z.strictObject({
  ipv4Prefix: expecting(
    "a whole number from 8 to 32",
    (v) => isWhole(v) && v >= 8 && v <= 32,
  ).optional(),
  ipv6Prefix: ipv6PrefixSchema.optional(),
});
