import type { IncomingMessage } from 'node:http';
import { restRoutes } from '../../generated/rest.ts';
import { inLane } from '../../prisma/database-pools.ts';
import { authenticate } from '../auth/authenticate.ts';
import { openRateLimiter } from '../platform/limits/rate-limit.ts';
import { takeTokens } from '../platform/limits/take-tokens.ts';
import { openGate } from './gate.ts';
import { byRealTime, guardedWorld, type World } from './graphql/server/world.ts';
import { serveImage } from './images/serve-image.ts';
import { serveLiabilities } from './liabilities/serve-liabilities.ts';
import { serveEmbed } from './pages/serve-embed.ts';
import { servePages, serveUnknownPath } from './pages/serve-pages.ts';
import { serveRenewal } from './renewals/serve-renewal.ts';
import { serveDisputeFiles } from './rest/disputes/serve-dispute-files.ts';
import { jitPlugin } from './rest/jit-plugin.ts';
import { openRest } from './rest/open-rest.ts';
import { serveReports } from './rest/reports/serve-reports.ts';
import { serveAuditExport } from './rest/serve-audit-export.ts';
import { serveInvoice } from './serve-invoice.ts';
import { serveKeySet } from './serve-key-set.ts';
import { serveMailPreview } from './serve-mail-preview.ts';
import { serveUnsubscribe } from './serve-unsubscribe.ts';
import type { ApiParts } from './start-api.ts';

/** Opens the gate and what the HTTP server serves in addition to GraphQL: `startApi({ world, graph }, listen, openParts(world))`. */
export function openParts(world: World): ApiParts {
  const limiter = openRateLimiter({
    take: (wanted) => inLane('credentials', () => takeTokens(world.database, wanted)),
    nowMs: () => performance.now(),
  });
  const remembering = byRealTime(world);
  const asking = { ...remembering, memory: undefined };
  const gate = openGate({
    authenticate: (credentials, { isFresh }) => authenticate(isFresh ? asking : remembering, credentials),
    limiter,
    limits: world.config.rateLimits,
    trustedProxies: world.config.trustedProxies,
    log: world.log,
  });
  return {
    gate,
    handlers: [
      () => serveKeySet(world),
      () => serveInvoice(guardedWorld(world, { kind: 'anonymous' }), gate),
      () => serveRenewal(guardedWorld(world, { kind: 'anonymous' }), gate),
      () => serveLiabilities(guardedWorld(world, { kind: 'anonymous' }), gate),
      () => serveUnsubscribe(guardedWorld(world, { kind: 'anonymous' }), gate),
      () => serveMailPreview(guardedWorld(world, { kind: 'anonymous' }), gate),
      () => serveImage(world, gate),
      () => serveEmbed(guardedWorld(world, { kind: 'anonymous' }), gate),
      () => servePages(world),
      () => serveAuditExport(world, gate),
      () => serveReports(world, gate),
      () => serveDisputeFiles(world, gate),
      (served) => {
        const rest = openRest({ ...served, world, gate });
        const unknown = serveUnknownPath(world);
        return async (request, response) =>
          (!rest.knows(pathOf(request)) && (await unknown(request, response))) || rest.handle(request, response);
      },
    ],
    plugins: [jitPlugin(restRoutes.map((route) => route.document))],
  };
}

function pathOf({ url = '/' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? '/';
}
