const core = require("@spillway/core");
const http = require("@spillway/core/http");
const testing = require("@spillway/core/testing");
const express = require("@spillway/express");
const fastify = require("@spillway/fastify");
const koa = require("@spillway/koa");

const exercise = require("./exercise.cjs");

if (fastify.default !== fastify.rateLimit) throw new Error("fastify: default and named differ");
exercise({ core, http, testing, express, fastify, koa });
