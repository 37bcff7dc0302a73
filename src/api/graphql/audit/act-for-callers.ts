import { defaultFieldResolver, type GraphQLFieldResolver, type GraphQLSchema } from 'graphql';
import { type Actor, actingFor } from '../../../auth/audit/acting.ts';
import type { Principal } from '../../../auth/principal.ts';
import type { GraphqlContext } from '../server/context.ts';
import { auditedMutations } from './audited-mutations.ts';

/**
 * Makes every mutation of `schema` run on behalf of its caller, in place, so that its changes are recorded under the caller's name. Throws
 * for a mutation that is not listed with its audit log action.
 */
export function actForCallers(schema: GraphQLSchema): GraphQLSchema {
  const fields = Object.values(schema.getMutationType()?.getFields() ?? {});
  const missing = fields.filter(({ name }) => auditedMutations[name] === undefined).map(({ name }) => name);
  if (missing.length > 0) throw new TypeError(`audited-mutations.ts does not name ${missing.join(', ')}.`);
  for (const field of fields) {
    const resolve: GraphQLFieldResolver<unknown, GraphqlContext> = field.resolve ?? defaultFieldResolver;
    field.resolve = (root, args, context: GraphqlContext, info) => {
      const { callerAddress, userAgent, requestId, principal } = context;
      const from = { address: callerAddress ?? null, userAgent: userAgent ?? null, requestId };
      return actingFor({ actor: actorOf(principal), ...from }, () => resolve(root, args, context, info));
    };
  }
  return schema;
}

/** Returns null for callers other than members, secret keys and operators. */
function actorOf(principal: Principal): Actor | null {
  switch (principal.kind) {
    case 'apiKey': {
      const { apiKeyId, merchantId, appId } = principal;
      return { kind: 'API_KEY', id: apiKeyId, merchantId, appId };
    }
    case 'member':
      return { kind: 'MEMBER', id: principal.memberId, merchantId: principal.merchantId, appId: null };
    case 'platform':
      return { kind: principal.role, id: principal.credentialId, merchantId: null, appId: null };
    case 'session':
    case 'payer':
    case 'card':
    case 'anonymous':
      return null;
    default:
      return principal satisfies never;
  }
}
