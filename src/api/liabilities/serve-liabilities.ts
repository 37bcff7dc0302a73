/** Serves the public pages `/proof-of-liabilities`, the newest snapshot of each chain, and `/proof-of-liabilities/:id`, one snapshot. */
import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { GatewayError } from '../../errors.ts';
import { readNewestSnapshots, readSnapshot } from '../../payments/reports/liabilities/read-snapshots.ts';
import type { PublishedSnapshot } from '../../payments/reports/liabilities/snapshot.ts';
import { nameRoute } from '../../platform/http-call.ts';
import { type AddressGate, refusalByAddress } from '../gate.ts';
import type { World } from '../graphql/server/world.ts';
import { languageOf } from '../page-language.ts';
import type { HttpHandler } from '../start-api.ts';
import { liabilitiesPage, liabilitiesStyle, sentencePage } from './liabilities-page.ts';
import { liabilitiesWords } from './liabilities-words.ts';

const PATH = /^\/proof-of-liabilities(?:\/([0-9a-fA-F-]{36}))?\/?$/;
const styleHash = createHash('sha256').update(liabilitiesStyle).digest('base64');
const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'cache-control': 'public, max-age=60',
  vary: 'accept-language',
  'x-content-type-options': 'nosniff',
};

type PageWorld = Pick<World, 'database' | 'registry' | 'config'>;

/** Requests are rate-limited by address, as calls without a key are. Unless publishing is enabled, the path is unknown. */
export function serveLiabilities(world: PageWorld, gate: AddressGate): HttpHandler {
  return async (request, response) => {
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
    const found = PATH.exec(path);
    if (!found || !world.config.liabilities.isPublic) return false;
    nameRoute(response, '/proof-of-liabilities/:id');
    const language = languageOf(request.headers['accept-language']);
    const words = liabilitiesWords[language];
    const { method = 'GET' } = request;
    const refusal = await refusalByAddress(gate, request);
    if (refusal !== undefined) return answer(response, 429, sentencePage(language, words.tryLater));
    if (method !== 'GET' && method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD');
      return answer(response, 405, sentencePage(language, words.method));
    }
    const snapshots = await findSnapshots(world, found[1]);
    if (!snapshots) return answer(response, 404, sentencePage(language, words.unknown));
    const page = liabilitiesPage({ registry: world.registry, language }, snapshots);
    return answer(response, 200, page, method === 'HEAD');
  };
}

async function findSnapshots({ database }: PageWorld, id: string | undefined): Promise<PublishedSnapshot[] | null> {
  if (id === undefined) return await readNewestSnapshots(database);
  try {
    return [await readSnapshot(database, id)];
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'NOT_FOUND') return null;
    throw error;
  }
}

function answer(response: ServerResponse, status: number, page: string, isHead = false): true {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(page) });
  response.end(isHead ? undefined : page);
  return true;
}
