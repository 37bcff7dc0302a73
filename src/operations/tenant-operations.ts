/** Commands that set up an installation for production: merchants, apps, payout addresses, keys and credentials. */
import { createApiKey } from '../auth/create-api-key.ts';
import { createApp } from '../auth/create-app.ts';
import { createMerchant } from '../auth/create-merchant.ts';
import { createPlatformCredential } from '../auth/create-platform-credential.ts';
import { keyScopes, scopesOfKey } from '../auth/keys/key-scope.ts';
import { parseNetwork } from '../auth/keys/network.ts';
import { inviteMember } from '../auth/members/invite-member.ts';
import { emailSchema, memberRoles } from '../auth/members/member.ts';
import { nameOperator } from '../auth/members/name-operator.ts';
import { revokeApiKey } from '../auth/revoke-api-key.ts';
import { rotateApiKey } from '../auth/rotate-api-key.ts';
import { setPayoutAddress } from '../auth/set-payout-address.ts';
import { openSecretKeys } from '../auth/tokens/secret-keys.ts';
import { rotateSigningKeys } from '../auth/tokens/signing-keys.ts';
import { invalid, notFound } from '../errors.ts';
import { isId } from '../platform/identifier.ts';
import type { Operation, OperationsWorld, Row } from './operations-world.ts';
import { choice, instant, needed, wholeNumber } from './read-option.ts';

const DEFAULT_OVERLAP_HOURS = '24';

export const tenantOperations: Record<string, Operation> = {
  'merchant create': {
    usage: '--name <name>',
    options: ['name'],
    async run(world, { values }) {
      const merchant = await createMerchant(world, { name: needed(values, 'name') });
      return [{ merchantId: merchant.id, name: merchant.name }];
    },
  },
  'merchant list': {
    usage: '',
    options: [],
    async run({ database }) {
      const apps = await database.app.findMany({ include: { merchant: true }, orderBy: { id: 'asc' }, take: 1000 });
      return apps.map((app) => ({
        merchantId: app.merchantId,
        merchant: app.merchant.name,
        appId: app.id,
        app: app.name,
        mode: app.mode,
      }));
    },
  },
  'app create': {
    hint: 'merchant list',
    usage: '--merchant <id> --name <name> --mode test|live',
    options: ['merchant', 'name', 'mode'],
    async run(world, { values }) {
      const app = await createApp(world, {
        merchantId: identifier(values, 'merchant'),
        name: needed(values, 'name'),
        mode: choice(needed(values, 'mode'), '--mode', ['TEST', 'LIVE']),
      });
      return [{ appId: app.id, merchantId: app.merchantId, name: app.name, mode: app.mode }];
    },
  },
  'app set-payout': {
    hint: 'merchant list',
    usage: '--app <id> --family evm|solana --address <address>',
    options: ['app', 'family', 'address'],
    async run(world, { values }) {
      const scope = await scopeOfApp(world, identifier(values, 'app'));
      const payout = await setPayoutAddress(world, {
        scope,
        family: choice(values.family ?? 'evm', '--family', ['EVM', 'SOLANA', 'SUI']),
        address: needed(values, 'address'),
      });
      return [{ appId: payout.appId, family: payout.family, address: payout.address }];
    },
  },
  'key create': {
    hint: 'merchant list',
    usage:
      '--app <id> --kind secret|publishable [--name <name>] [--scopes read,refunds] [--networks 203.0.113.0/24] [--expires-at <instant>]',
    options: ['app', 'kind', 'name', 'scopes', 'networks', 'expires-at'],
    async run(world, { values }) {
      const scope = await scopeOfApp(world, identifier(values, 'app'));
      const kind = choice(values.kind ?? 'secret', '--kind', ['SECRET', 'PUBLISHABLE']);
      const { key, secret } = await createApiKey(world, {
        scope,
        kind,
        name: values.name ?? null,
        scopes: listed(values.scopes)?.map((text) => choice(text, '--scopes', keyScopes)) ?? null,
        allowedNetworks: listed(values.networks)?.map((text) => network(text)) ?? null,
        expiresAt: values['expires-at'] === undefined ? null : instant(values['expires-at'], '--expires-at'),
      });
      return [{ keyId: key.id, kind: key.kind, key: secret }];
    },
  },
  'key list': {
    hint: 'merchant list',
    usage: '--app <id>',
    options: ['app'],
    async run(world, { values }) {
      const { appId } = await scopeOfApp(world, identifier(values, 'app'));
      const keys = await world.database.apiKey.findMany({ where: { appId }, orderBy: { createdAt: 'asc' } });
      return keys.map((key) => ({
        keyId: key.id,
        kind: key.kind,
        prefix: key.prefix,
        name: key.name,
        scopes: scopesOfKey(key)?.join(',').toLowerCase() ?? null,
        networks: key.allowedNetworks.join(',') || null,
        lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
        expiresAt: key.expiresAt?.toISOString() ?? null,
        revokedAt: key.revokedAt?.toISOString() ?? null,
      }));
    },
  },
  'key rotate': {
    hint: 'key list --app <id>',
    usage: '--key <id> [--overlap-hours 24]',
    options: ['key', 'overlap-hours'],
    async run(world, { values }) {
      const hours = values['overlap-hours'] ?? DEFAULT_OVERLAP_HOURS;
      const rotated = await rotateApiKey(world, {
        holder: 'INSTALLATION',
        id: identifier(values, 'key'),
        overlapSeconds: 3600 * wholeNumber(hours, '--overlap-hours', { least: 0, most: 720 }),
      });
      const { key, secret, oldExpiresAt } = rotated;
      return [{ keyId: key.id, kind: key.kind, key: secret, oldKeyGoodUntil: oldExpiresAt.toISOString() }];
    },
  },
  'key revoke': {
    hint: 'key list --app <id>',
    usage: '--key <id>',
    options: ['key'],
    async run(world, { values }) {
      const key = await revokeApiKey(world, { holder: 'INSTALLATION', id: identifier(values, 'key') });
      return [{ keyId: key.id, prefix: key.prefix, revokedAt: key.revokedAt?.toISOString() ?? null }];
    },
  },
  'member invite': {
    hint: 'merchant list',
    usage: '--merchant <id> --email <address> --role owner|developer|viewer',
    options: ['merchant', 'email', 'role'],
    async run(world, { values }) {
      const merchantId = identifier(values, 'merchant');
      const email = emailSchema.safeParse(needed(values, 'email'));
      if (!email.success) throw invalid([{ param: '--email', message: 'an email address of at most 254 characters' }]);
      if (!(await world.database.merchant.findUnique({ where: { id: merchantId } }))) throw notFound('merchant');
      const role = choice(needed(values, 'role'), '--role', memberRoles);
      const member = await inviteMember(world, { merchantId, email: email.data, role });
      return [{ memberId: member.id, email: member.email, role: member.role }];
    },
  },
  'operator grant': {
    hint: 'merchant list',
    usage: '--merchant <id> --email <address>',
    options: ['merchant', 'email'],
    run: (world, { values }) => nameOperatorRow(world, values, true),
  },
  'operator revoke': {
    hint: 'merchant list',
    usage: '--merchant <id> --email <address>',
    options: ['merchant', 'email'],
    run: (world, { values }) => nameOperatorRow(world, values, false),
  },
  'token rotate': {
    usage: '',
    options: [],
    async run(world) {
      const made = await rotateSigningKeys(world, { sealKey: openSecretKeys(world.config).signing });
      return [{ kid: made.kid, createdAt: made.createdAt.toISOString() }];
    },
  },
  'credential create': {
    usage: '--role operator|arbiter --name <name>',
    options: ['role', 'name'],
    async run(world, { values }) {
      const role = choice(needed(values, 'role'), '--role', ['OPERATOR', 'ARBITER']);
      const { credential, secret } = await createPlatformCredential(world, { role, name: needed(values, 'name') });
      return [{ credentialId: credential.id, role: credential.role, credential: secret }];
    },
  },
};

async function nameOperatorRow(
  { database }: OperationsWorld,
  values: Record<string, string>,
  isOperator: boolean,
): Promise<Row[]> {
  const request = { merchantId: identifier(values, 'merchant'), email: needed(values, 'email'), isOperator };
  const member = await nameOperator({ database }, request);
  return [{ memberId: member.id, email: member.email, role: member.role, operator: member.isOperator }];
}

function identifier(values: Record<string, string>, name: string): string {
  const id = needed(values, name);
  if (!isId(id)) throw invalid([{ param: `--${name}`, message: 'must be a UUID' }]);
  return id;
}

function listed(text: string | undefined): string[] | undefined {
  return text?.split(',').map((part) => part.trim());
}

function network(text: string): string {
  const parsed = parseNetwork(text);
  if (parsed === null)
    throw invalid([{ param: '--networks', message: `${text} is not a network, such as 203.0.113.0/24` }]);
  return parsed;
}

async function scopeOfApp(
  { database }: Pick<OperationsWorld, 'database'>,
  appId: string,
): Promise<{ merchantId: string; appId: string }> {
  const app = await database.app.findUnique({ where: { id: appId }, select: { merchantId: true } });
  if (!app) throw notFound('app');
  return { merchantId: app.merchantId, appId };
}
