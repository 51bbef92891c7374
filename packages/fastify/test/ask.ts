import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from "fastify";

type Asked = string | InjectOptions;

/** Sends one request after another, and resolves with the statuses. */
export async function statuses(app: FastifyInstance, ...requests: Asked[]): Promise<number[]> {
  return (await answers(app, ...requests)).map(({ statusCode }) => statusCode);
}

/** Sends one request after another, and resolves with what remained after each. */
export async function remaining(app: FastifyInstance, ...requests: Asked[]): Promise<number[]> {
  const all = await answers(app, ...requests);
  return all.map(({ headers }) => Number(headers["x-ratelimit-remaining"]));
}

async function answers(
  app: FastifyInstance,
  ...requests: Asked[]
): Promise<LightMyRequestResponse[]> {
  const all: LightMyRequestResponse[] = [];
  for (const request of requests) all.push(await app.inject(request));
  return all;
}
