import { createRequire } from "node:module";
import * as core from "@spillway/core";
import * as http from "@spillway/core/http";
import * as testing from "@spillway/core/testing";
import * as express from "@spillway/express";
import fastifyDefault, * as fastify from "@spillway/fastify";
import * as koa from "@spillway/koa";

import exercise from "./exercise.cjs";

if (fastifyDefault !== fastify.rateLimit) throw new Error("fastify: default and named differ");
await exercise({ core, http, testing, express, fastify, koa });

// an application may end with both copies of a package: codes must hold across them
const other = createRequire(import.meta.url)("@spillway/core");
const limiter = other.createLimiter({ limit: 0, window: "1m" });
const error = await limiter.checkOrThrow("key").catch((reason) => reason);
if (error.code !== "ERR_RATE_LIMITED") throw new Error(`unexpected ${error}`);
