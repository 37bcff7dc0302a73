/** The public snapshots of liabilities, and each app's proof that its payments are in them. */
import { GatewayError, invalid } from '../../../errors.ts';
import type { ProofPiece } from '../../../payments/reports/liabilities/liability.ts';
import {
  type LiabilityProof,
  readNewestSnapshots,
  readProofs,
  readSnapshot,
  readSnapshots,
} from '../../../payments/reports/liabilities/read-snapshots.ts';
import type { PublishedSnapshot, PublishedTotal } from '../../../payments/reports/liabilities/snapshot.ts';
import { builder } from '../server/builder.ts';
import { appScopeOf } from '../server/scope-of.ts';
import type { World } from '../server/world.ts';

const DEFAULT_SNAPSHOTS = 10;
const MOST_SNAPSHOTS = 50;
const MS = 1000;

const LiabilityTotalRef = builder.objectRef<PublishedTotal>('LiabilityTotal').implement({
  description: 'Liabilities in one token and the balance of the escrow in that token at the same block, in base units.',
  fields: (t) => ({
    tokenKey: t.exposeString('tokenKey', { description: 'The token.' }),
    tokenAddress: t.exposeString('tokenAddress', {
      description: 'The contract of the token in lower case; the zero address for the native coin.',
    }),
    decimals: t.exposeInt('decimals', {
      nullable: true,
      description: 'The decimals of the token. Null if it was not registered when the snapshot was taken.',
    }),
    held: t.expose('held', { type: 'BaseUnits', description: 'Authorized and not captured.' }),
    captured: t.expose('captured', { type: 'BaseUnits', description: 'Captured and not settled.' }),
    disputed: t.expose('disputed', { type: 'BaseUnits', description: 'Captured, and disputed by the payer.' }),
    undelivered: t.expose('undelivered', {
      type: 'BaseUnits',
      description: 'Credited to recipients that could not be paid, and not claimed yet.',
    }),
    total: t.expose('total', {
      type: 'BaseUnits',
      description: 'Sum of these four amounts, which is also the sum of the tree.',
    }),
    escrowBalance: t.expose('escrowBalance', {
      type: 'BaseUnits',
      description: 'Balance of the escrow in the token at the block. It can include money of other gateways.',
    }),
    surplus: t.field({
      type: 'BaseUnits',
      description: '`escrowBalance` minus `total`. A negative number is a deficit.',
      resolve: ({ escrowBalance, total }) => escrowBalance - total,
    }),
    rootHash: t.exposeString('rootHash', { description: 'Root hash of the sum tree: 64 hexadecimal digits.' }),
  }),
});

const LiabilitySnapshotRef = builder.objectRef<PublishedSnapshot>('LiabilitySnapshot').implement({
  description: 'Liabilities of the installation on one chain at a final block.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier (UUIDv7).' }),
    chainId: t.exposeInt('chainId', { description: 'Numeric chain ID.' }),
    blockNumber: t.string({
      description: 'Number of the block.',
      resolve: ({ blockNumber }) => String(blockNumber),
    }),
    blockHash: t.exposeString('blockHash', { description: 'Hash of the block.' }),
    blockTimestamp: t.string({
      description: 'Time of the block in Unix seconds.',
      resolve: ({ blockTimestamp }) => String(blockTimestamp),
    }),
    blockTime: t.field({
      type: 'DateTime',
      description: 'Time of the block.',
      resolve: ({ blockTimestamp }) => new Date(Number(blockTimestamp) * MS),
    }),
    escrow: t.exposeString('escrow', { description: 'Address of the escrow contract in lower case.' }),
    operators: t.exposeStringList('operators', {
      description: 'The operators in the terms of all payments up to the block, in lower case.',
    }),
    tokens: t.field({
      extensions: { rest: true },
      type: [LiabilityTotalRef],
      description: 'Liabilities by token, in the order of the token keys.',
      complexity: { field: 1, multiplier: 3 },
      resolve: ({ tokens }) => tokens,
    }),
    digest: t.exposeString('digest', { description: 'SHA-256 of every field of the snapshot.' }),
    previousDigest: t.exposeString('previousDigest', {
      nullable: true,
      description: 'Digest of the previous snapshot of the chain. Null for the first.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time at which the snapshot was taken.' }),
  }),
});

const PathNodeRef = builder.objectRef<ProofPiece['path'][number]>('LiabilityPathNode').implement({
  description: 'A sibling on the path from a leaf to the root.',
  fields: (t) => ({
    hash: t.exposeString('hash', { description: 'Hash of the sibling: 64 hexadecimal digits.' }),
    sum: t.expose('sum', { type: 'BaseUnits', description: 'Sum of the leaves below it.' }),
  }),
});

const PieceRef = builder.objectRef<ProofPiece>('LiabilityPiece').implement({
  description: 'A part of the amount, stored as one leaf of the tree.',
  fields: (t) => ({
    index: t.exposeInt('index', { description: 'Index of the piece, from 0.' }),
    position: t.exposeInt('position', { description: 'Position of the leaf, counted from the left, from 0.' }),
    salt: t.exposeString('salt', { description: 'Random value that prevents guessing the content of the leaf.' }),
    amount: t.expose('amount', { type: 'BaseUnits', description: 'The part of the amount.' }),
    path: t.field({
      type: [PathNodeRef],
      description: 'The siblings, from the leaf upwards.',
      resolve: ({ path }) => path,
    }),
  }),
});

const LiabilityProofRef = builder.objectRef<LiabilityProof>('LiabilityProof').implement({
  description: "Proof that an app's payments are part of the published liabilities in one token.",
  fields: (t) => ({
    snapshotId: t.string({ description: 'The snapshot.', resolve: ({ snapshot }) => snapshot.id }),
    snapshotDigest: t.string({ description: 'Digest of the snapshot.', resolve: ({ snapshot }) => snapshot.digest }),
    chainId: t.int({ description: 'Numeric chain ID.', resolve: ({ snapshot }) => snapshot.chainId }),
    blockNumber: t.string({
      description: 'Number of the block.',
      resolve: ({ snapshot }) => String(snapshot.blockNumber),
    }),
    blockHash: t.string({ description: 'Hash of the block.', resolve: ({ snapshot }) => snapshot.blockHash }),
    escrow: t.string({ description: 'Address of the escrow contract.', resolve: ({ snapshot }) => snapshot.escrow }),
    tokenKey: t.exposeString('tokenKey', { description: 'The token.' }),
    tokenAddress: t.exposeString('tokenAddress', { description: 'The contract of the token.' }),
    rootHash: t.exposeString('rootHash', { description: 'Root hash of the sum tree.' }),
    total: t.expose('total', { type: 'BaseUnits', description: 'Sum of the tree: all liabilities in the token.' }),
    appId: t.expose('appId', { type: 'UUID', description: 'The app.' }),
    amount: t.expose('amount', { type: 'BaseUnits', description: "Amount owed for the app's payments." }),
    statement: t.exposeStringList('statement', {
      description:
        "One line per payment: the kind (HELD, CAPTURED, DISPUTED or UNDELIVERED), the payment's ID in the contract, the amount and, for UNDELIVERED, the recipient.",
    }),
    statementHash: t.exposeString('statementHash', {
      description: 'Hash of the statement, to which the leaves commit.',
    }),
    pieces: t.field({ type: [PieceRef], description: 'The leaves of the app.', resolve: ({ pieces }) => pieces }),
  }),
});

builder.queryField('liabilities', (t) =>
  t.field({
    type: [LiabilitySnapshotRef],
    description:
      'Published snapshots, newest first. Requires no credential. NOT_FOUND if the installation does not publish its liabilities.',
    authScopes: { public: true },
    args: {
      chainId: t.arg.int({ description: 'Only snapshots of this chain.' }),
      newest: t.arg.boolean({ description: 'Whether only the newest snapshot of each chain is returned.' }),
      limit: t.arg.int({ description: `1 to ${MOST_SNAPSHOTS}. Defaults to ${DEFAULT_SNAPSHOTS}.` }),
    },
    complexity: ({ limit }) => ({
      field: 1,
      multiplier: Math.max(1, Math.min(limit ?? DEFAULT_SNAPSHOTS, MOST_SNAPSHOTS)),
    }),
    async resolve(_root, { chainId, newest, limit }, { world }) {
      requirePublished(world);
      if (limit != null && (limit < 1 || limit > MOST_SNAPSHOTS)) {
        throw invalid([{ param: 'limit', message: `must be from 1 to ${MOST_SNAPSHOTS}` }]);
      }
      if (!newest) {
        return await readSnapshots(world.database, {
          chainId: chainId ?? undefined,
          limit: limit ?? DEFAULT_SNAPSHOTS,
        });
      }
      const snapshots = await readNewestSnapshots(world.database);
      return snapshots.filter((one) => chainId == null || one.chainId === chainId).slice(0, limit ?? MOST_SNAPSHOTS);
    },
  }),
);

builder.queryField('liabilitySnapshot', (t) =>
  t.field({
    type: LiabilitySnapshotRef,
    description:
      'One published snapshot. Requires no credential. NOT_FOUND if it does not exist, or if the installation does not publish its liabilities.',
    authScopes: { public: true },
    args: { id: t.arg.id({ required: true, description: 'The snapshot.' }) },
    async resolve(_root, { id }, { world }) {
      requirePublished(world);
      return await readSnapshot(world.database, String(id));
    },
  }),
);

builder.queryField('liabilityProofs', (t) =>
  t.field({
    type: [LiabilityProofRef],
    description:
      "The app's proofs, one for each token in which the installation has liabilities. NOT_FOUND if the installation does not publish its liabilities, or if the snapshot does not exist.",
    authScopes: { read: true },
    args: {
      appId: t.arg.id({ description: 'The app. Required for members; a key belongs to one app.' }),
      snapshotId: t.arg.id({ description: 'The snapshot. Defaults to the newest snapshot of each chain.' }),
    },
    complexity: { field: 10, multiplier: 4 },
    async resolve(_root, { appId, snapshotId }, context) {
      const scope = await appScopeOf(context, { appId: appId == null ? appId : String(appId) });
      requirePublished(context.world);
      return await readProofs(context.world.database, {
        appId: scope.appId,
        snapshotId: snapshotId == null ? undefined : String(snapshotId),
      });
    },
  }),
);

function requirePublished({ config }: Pick<World, 'config'>): void {
  if (config.liabilities.isPublic) return;
  throw new GatewayError('NOT_FOUND', 'This installation does not publish its liabilities.');
}
