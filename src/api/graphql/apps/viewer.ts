/** The query viewer: the authenticated caller. */
import type { Principal } from '../../../auth/principal.ts';
import { CheckoutSessionRef } from '../checkout/checkout-session.ts';
import { MemberRef } from '../members/member.ts';
import { builder } from '../server/builder.ts';
import { ApiKeyScopeEnum } from './api-key.ts';
import { AppRef } from './app.ts';

const Viewer = builder.objectRef<Principal>('Viewer').implement({
  description: 'The caller.',
  fields: (t) => ({
    kind: t.string({
      description:
        'Kind of credential: `anonymous`, `secretKey`, `publishableKey`, `session`, `member`, `card`, `payer`, `operator` or `arbiter`.',
      resolve: (viewer) => {
        if (viewer.kind === 'apiKey') return viewer.keyKind === 'SECRET' ? 'secretKey' : 'publishableKey';
        return viewer.kind === 'platform' ? viewer.role.toLowerCase() : viewer.kind;
      },
    }),
    merchantId: t.field({
      type: 'UUID',
      nullable: true,
      description: 'The merchant that the credential belongs to.',
      resolve: (viewer) => ('merchantId' in viewer ? viewer.merchantId : null),
    }),
    app: t.field({
      type: AppRef,
      nullable: true,
      description: 'The app of an API key.',
      resolve: (viewer, _args, context) =>
        viewer.kind === 'apiKey' ? context.database.app.findUnique({ where: { id: viewer.appId } }) : null,
    }),
    scopes: t.field({
      type: [ApiKeyScopeEnum],
      nullable: true,
      description: 'What a restricted key may do. Null for any other credential.',
      resolve: (viewer) => (viewer.kind === 'apiKey' && viewer.scopes !== null ? [...viewer.scopes] : null),
    }),
    memberId: t.field({
      type: 'UUID',
      nullable: true,
      description: 'The member who is logged in.',
      resolve: (viewer) => (viewer.kind === 'member' ? viewer.memberId : null),
    }),
    member: t.field({
      type: MemberRef,
      nullable: true,
      description: 'The member who is logged in.',
      resolve: (viewer, _args, context) =>
        viewer.kind === 'member' ? context.database.member.findUnique({ where: { id: viewer.memberId } }) : null,
    }),
    session: t.field({
      type: CheckoutSessionRef,
      nullable: true,
      description: 'The checkout session of a client secret.',
      resolve: (viewer, _args, context) =>
        viewer.kind === 'session'
          ? context.database.checkoutSession.findUnique({ where: { id: viewer.sessionId } })
          : null,
    }),
    sessionId: t.field({
      type: 'UUID',
      nullable: true,
      description: 'The checkout session of a client secret.',
      resolve: (viewer) => (viewer.kind === 'session' ? viewer.sessionId : null),
    }),
    roles: t.stringList({
      description: "A member's roles: OWNER, DEVELOPER or VIEWER.",
      resolve: (viewer) => (viewer.kind === 'member' ? [viewer.role] : []),
    }),
  }),
});

builder.queryField('viewer', (t) =>
  t.field({
    type: Viewer,
    description: 'The caller.',
    authScopes: { public: true },
    resolve: (_root, _args, context) => context.principal,
  }),
);
