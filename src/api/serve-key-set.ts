import { nameRoute } from '../platform/http-call.ts';
import type { World } from './graphql/server/world.ts';
import type { HttpHandler } from './start-api.ts';

const PATH = '/.well-known/jwks.json';

/** Serves the public keys that verify the installation's tokens, as a JSON Web Key Set (RFC 7517). */
export function serveKeySet(world: Pick<World, 'signingKeys'>): HttpHandler {
  return async (request, response) => {
    if ((request.url ?? '').split('?', 1)[0] !== PATH) return false;
    if (request.method !== 'GET' && request.method !== 'HEAD') return false;
    nameRoute(response, PATH);
    const body = JSON.stringify(await world.signingKeys.published());
    response.writeHead(200, {
      'content-type': 'application/jwk-set+json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'cache-control': 'max-age=60',
      'access-control-allow-origin': '*',
      'x-content-type-options': 'nosniff',
    });
    response.end(body);
    return true;
  };
}
