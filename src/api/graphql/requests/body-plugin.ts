import type { Plugin } from 'graphql-yoga';
import type { Config } from '../../../config/config.ts';
import { GatewayError } from '../../../errors.ts';
import { readAtMost } from '../../../platform/outbound/read-at-most.ts';
import { byteLimits } from '../server/limits.ts';
import type { TransportContext } from '../server/request-plugin.ts';

/**
 * Enforces the caller's limit for bodies: by the declared length before the body is read or, without a declared length, while it arrives.
 * Throws PAYLOAD_TOO_LARGE.
 */
export function bodyPlugin(config: Pick<Config, 'bodies' | 'graphql'>): Plugin<TransportContext, TransportContext> {
  return {
    onRequestParse({ request, serverContext, requestParser, setRequestParser, fetchAPI }) {
      if (!request.body || !requestParser) return;
      const { admission } = serverContext;
      const limit = admission ? byteLimits(config, admission.principal).body : config.bodies.bytes;
      const declared = request.headers.get('content-length');
      if (declared !== null && Number(declared) > limit) throw tooLarge(limit);
      // The HTTP parser does not read more than the declared length.
      const { incoming } = serverContext;
      if (declared !== null || !incoming) return;
      setRequestParser(async (given) => {
        const body = await readAtMost(incoming, limit);
        if (body === undefined) throw tooLarge(limit);
        const { url, method, headers } = given;
        return requestParser(new fetchAPI.Request(url, { method, headers, body: new Uint8Array(body) }));
      });
    },
  };
}

function tooLarge(limit: number): GatewayError {
  return new GatewayError('PAYLOAD_TOO_LARGE', `The body is larger than ${limit} bytes.`);
}
