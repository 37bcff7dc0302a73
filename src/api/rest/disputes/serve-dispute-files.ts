/**
 * `POST /disputes/:id/files` uploads an evidence file, and `GET /disputes/:id/files/:fileId` returns its content, always as an
 * attachment. The body of an upload is the file itself. It is read only after the caller and the dispute have been checked, and
 * only a few uploads are in memory at once, of which a caller and an address may have at most half.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DisputeFile } from '../../../../prisma/client.ts';
import { GatewayError, invalid, notFound } from '../../../errors.ts';
import { attachFile, requireSpace, storedBytes } from '../../../payments/disputes/attach-file.ts';
import { FILE_BYTES } from '../../../payments/disputes/evidence.ts';
import { requireOpen } from '../../../payments/disputes/lock-open-dispute.ts';
import { readFile } from '../../../payments/disputes/read-file.ts';
import { unavailable } from '../../../platform/database/database-fault.ts';
import { nameRoute } from '../../../platform/http-call.ts';
import { hasAnswered } from '../../../platform/idempotency/first-answer.ts';
import { canonicalId, isId } from '../../../platform/identifier.ts';
import { type FairPlaces, openFairPlaces } from '../../../platform/limits/fair-places.ts';
import { traced } from '../../../platform/request-trace.ts';
import type { Gate } from '../../gate.ts';
import { submitterIn } from '../../graphql/disputes/dispute-caller.ts';
import { submitterShownTo } from '../../graphql/disputes/dispute-evidence.ts';
import { schema } from '../../graphql/schema.ts';
import { accessNeeded, requireFieldAccess } from '../../graphql/server/access/root-access.ts';
import { contextOf, type GraphqlContext } from '../../graphql/server/context.ts';
import { faultFacts, gatewayErrorOf, noteUnavailable } from '../../graphql/server/fault.ts';
import { idempotencyOf } from '../../graphql/server/idempotency.ts';
import type { World } from '../../graphql/server/world.ts';
import type { HttpHandler } from '../../start-api.ts';
import { corsHeaders, preflightHeaders } from '../cors.ts';
import { printError } from '../print-error.ts';
import { serveFile } from '../serve-file.ts';
import { receiveFile } from './receive-file.ts';

const UPLOAD = /^\/disputes\/([^/]+)\/files\/?$/;
const DOWNLOAD = /^\/disputes\/([^/]+)\/files\/([^/]+)\/?$/;

/** Maximum number of uploads in memory at once, of at most `FILE_BYTES` each. Others wait, and their bodies are not read meanwhile. */
const UPLOADS = 4;
const UPLOAD_WAIT_MS = 10_000;
const NAME_LENGTH = 255;

/** Headers that prevent a browser from displaying the file in a page and from guessing another content type. */
const inert = {
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
};

export function serveDisputeFiles(world: World, gate: Gate): HttpHandler {
  const places = openFairPlaces({ places: UPLOADS, waitMs: UPLOAD_WAIT_MS, refuse: () => unavailable('busy') });
  const download = serveDownload(world, gate);
  return async (request, response) => {
    const [path = '/'] = (request.url ?? '/').split('?', 1);
    const isUpload = UPLOAD.test(path);
    if (!isUpload && !DOWNLOAD.test(path)) return false;
    // A client secret may be used by pages of other origins.
    for (const [name, value] of Object.entries(corsHeaders('OWN_CREDENTIALS'))) response.setHeader(name, value);
    if (request.method === 'OPTIONS') return answerPreflight(response, isUpload ? 'POST' : 'GET, HEAD');
    return isUpload ? await upload({ world, gate, places }, request, response) : await download(request, response);
  };
}

function answerPreflight(response: ServerResponse, methods: string): true {
  const allow = `${methods}, OPTIONS`;
  response.writeHead(204, { allow, ...preflightHeaders('OWN_CREDENTIALS', allow) });
  response.end();
  return true;
}

function serveDownload(world: World, gate: Gate): HttpHandler {
  return serveFile(world, gate, {
    find(path) {
      const [, disputeId, fileId] = DOWNLOAD.exec(path) ?? [];
      return disputeId === undefined || fileId === undefined ? null : { disputeId, fileId };
    },
    field: 'dispute',
    route: '/disputes/:id/files/:fileId',
    async open({ disputeId, fileId }, { context }) {
      const ids = { id: readId('id', disputeId), fileId: readId('fileId', fileId) };
      const dispute = await context.database.dispute.findUnique({ where: { id: ids.id } });
      if (!dispute) throw notFound('dispute');
      const { paymentIntentId } = dispute;
      const file = await context.database.disputeFile.findFirst({ where: { id: ids.fileId, paymentIntentId } });
      if (!file) throw notFound('file');
      const { contentType, name, sizeBytes } = file;
      return { contentType, name, sizeBytes, headers: inert, text: readFile(world.database, file.id) };
    },
  });
}

function readId(param: string, text: string): string {
  if (!isId(text)) throw invalid([{ param, message: 'must be a UUID' }]);
  return canonicalId(text);
}

type UploadWorld = { world: World; gate: Gate; places: FairPlaces };

async function upload(
  { world, gate, places }: UploadWorld,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<true> {
  const [path = '/', search = ''] = (request.url ?? '/').split('?', 2);
  nameRoute(response, '/disputes/:id/files');
  const { method = 'GET', headers, socket } = request;
  const admission = await gate.admit({ method, headers, remoteAddress: socket.remoteAddress, stays: true });
  for (const [name, value] of Object.entries(admission.headers)) response.setHeader(name, value);
  response.setHeader('cache-control', 'no-store');
  response.setHeader('x-content-type-options', 'nosniff');
  const { requestId } = admission;
  try {
    if (method !== 'POST') {
      response.setHeader('allow', 'POST, OPTIONS');
      throw new GatewayError('METHOD_NOT_ALLOWED', 'This path accepts POST and OPTIONS.');
    }
    if (admission.refusal !== undefined) throw admission.refusal;
    requireUploadAccess(world, admission.principal);
    const context = contextOf(world, admission.principal, admission);
    const disputeId = UPLOAD.exec(path)?.[1] ?? '';
    const file = await traced(requestId, () => receive({ context, places }, request, { disputeId, search }));
    answer(response, 200, { success: true, data: printFile(file, context) }, context.answer.replayed);
  } catch (error) {
    const fault = gatewayErrorOf(error);
    if (fault) noteUnavailable(faultFacts(world, requestId), fault);
    else world.log.error({ requestId, err: error }, 'An unexpected error was masked.');
    const reported = fault ?? new GatewayError('INTERNAL_ERROR', 'Something went wrong on our side.');
    const printed = printError(reported, { requestId, path, accept: headers.accept });
    // The rest of the body is not read, so the connection cannot be used again.
    response.writeHead(printed.status, {
      ...printed.headers,
      'content-type': printed.contentType,
      'content-length': Buffer.byteLength(printed.body),
      connection: 'close',
    });
    response.end(printed.body);
  }
  request.resume();
  return true;
}

function requireUploadAccess(world: World, principal: GraphqlContext['principal']): void {
  const name = 'submitDisputeEvidence';
  const root = schema.getMutationType();
  const needed = (root && accessNeeded(root, name)) ?? [];
  requireFieldAccess({ principal, config: world.config }, { name, needed });
}

async function receive(
  { context, places }: { context: GraphqlContext; places: FairPlaces },
  request: IncomingMessage,
  { disputeId, search }: { disputeId: string; search: string },
): Promise<DisputeFile> {
  const { id, name } = readUpload(disputeId, new URLSearchParams(search));
  const { by, keyScopeId } = await submitterIn(context, id);
  const idempotencyFor = (parameters: object) =>
    idempotencyOf(context, { scopeId: keyScopeId, operation: 'uploadDisputeFile', parameters });
  // A replay is answered even after the dispute was resolved. It needs the body, because the hash of the body is a parameter.
  if (!(await hasAnswered(context.world.database, idempotencyFor({})))) await requireUsable(context, request, id);
  const holder = by.party === 'PAYER' ? `payer:${keyScopeId}` : `app:${keyScopeId}`;
  return await places.run([holder, `address:${context.address}`], async () => {
    const file = await receiveFile(request, { name });
    const { pieces: _pieces, sha256, ...facts } = file;
    const parameters = { id, party: by.party, sha256: Buffer.from(sha256).toString('hex'), ...facts };
    return await attachFile(context.world, { disputeId: id, by, file, idempotency: idempotencyFor(parameters) });
  });
}

/** Throws a VALIDATION_ERROR that lists all invalid parameters. */
function readUpload(disputeId: string, query: URLSearchParams): { id: string; name: string } {
  const faults = isId(disputeId) ? [] : [{ param: 'id', message: 'must be a UUID' }];
  const name = query.get('name') ?? '';
  if (name.length === 0 || name.length > NAME_LENGTH) {
    faults.push({ param: 'name', message: `is required, 1 to ${NAME_LENGTH} characters` });
  }
  for (const param of new Set(query.keys())) {
    if (param !== 'name') faults.push({ param, message: 'is not a parameter of this operation' });
  }
  if (faults.length > 0) throw invalid(faults);
  return { id: canonicalId(disputeId), name };
}

/** Rejects invalid uploads before their bodies are read. The same conditions are checked again under the payment's lock. */
async function requireUsable({ database }: GraphqlContext, request: IncomingMessage, id: string): Promise<void> {
  const dispute = await database.dispute.findUnique({ where: { id } });
  if (!dispute) throw notFound('dispute');
  requireOpen(dispute);
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared <= FILE_BYTES) requireSpace(await storedBytes(database, dispute.paymentIntentId), Math.max(declared, 1));
}

/** Returns the fields of `DisputeFile` in the schema. */
function printFile(file: DisputeFile, context: GraphqlContext) {
  const { id, paymentIntentId, party, name, contentType, sizeBytes, sha256, createdAt } = file;
  return {
    id,
    paymentIntentId,
    party,
    submittedBy: submitterShownTo(context, file),
    name,
    contentType,
    sizeBytes,
    sha256: `0x${Buffer.from(sha256).toString('hex')}`,
    createdAt: createdAt.toISOString(),
  };
}

function answer(response: ServerResponse, status: number, value: object, isReplayed: boolean): void {
  const body = JSON.stringify(value);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    ...(isReplayed ? { 'idempotent-replayed': 'true' } : {}),
  });
  response.end(body);
}
