/**
 * GET /embed/checkout/:id: the checkout page for frames of the origins that the session's app lists. The response to an unknown session is
 * that to a session of an app without origins: the page, which no origin may frame.
 */
import { LRUCache } from 'lru-cache';
import { nameRoute } from '../../platform/http-call.ts';
import { isId } from '../../platform/identifier.ts';
import { type AddressGate, refusalByAddress } from '../gate.ts';
import type { World } from '../graphql/server/world.ts';
import type { HttpHandler } from '../start-api.ts';
import { openPageWriter } from './write-page.ts';

const PATH = /^\/embed\/checkout\/([^/]+)\/?$/;
/** A removed origin can frame new loads of the page for this long. */
const LONGEST_MS = 5_000;
const REMEMBERED_SESSIONS = 10_000;

type EmbedWorld = Pick<World, 'config' | 'registry' | 'database'>;

/** Requests are counted by address, as calls without a key are. */
export function serveEmbed(world: EmbedWorld, gate: AddressGate): HttpHandler {
  const writePage = openPageWriter(world);
  const remembered = new LRUCache<string, readonly string[]>({ max: REMEMBERED_SESSIONS, ttl: LONGEST_MS });

  async function originsOf(sessionId: string): Promise<readonly string[]> {
    if (!isId(sessionId)) return [];
    const known = remembered.get(sessionId);
    if (known) return known;
    const session = await world.database.checkoutSession.findUnique({
      where: { id: sessionId },
      select: { app: { select: { embedOrigins: true } } },
    });
    // A session that is created later must not be missing until the entry expires, so only sessions are cached.
    if (session) remembered.set(sessionId, session.app.embedOrigins);
    return session?.app.embedOrigins ?? [];
  }

  return async (request, response) => {
    const [path = '/'] = (request.url ?? '/').split('?', 1);
    const [, id] = PATH.exec(path) ?? [];
    const method = request.method ?? 'GET';
    if (id === undefined || (method !== 'GET' && method !== 'HEAD')) return false;
    nameRoute(response, '/embed/checkout/:id');
    const refusal = await refusalByAddress(gate, request);
    if (refusal !== undefined) throw refusal;
    writePage(request, response, {
      page: 'checkout',
      title: 'Pay',
      status: 200,
      headers: { 'cache-control': 'no-store' },
      frameOrigins: await originsOf(id.toLowerCase()),
    });
    return true;
  };
}
