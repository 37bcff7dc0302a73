/**
 * The page behind the link in a mail about a failed renewal. GET shows what failed and why, by the state of the chain now. POST to
 * `/retry` charges again, `/consent` leads to a session that replaces the consent, and `/pay` to one that pays the invoice only.
 */
import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { sessionUrl } from '../../checkout/checkout-session.ts';
import { GatewayError } from '../../errors.ts';
import { createInvoiceCheckout } from '../../invoices/create-invoice-checkout.ts';
import { nameRoute } from '../../platform/http-call.ts';
import { createConsentRenewal } from '../../subscriptions/checkout/create-consent-renewal.ts';
import { findFailedInvoice, readRepair } from '../../subscriptions/repair/read-repair.ts';
import { type RenewalLink, renewalTokenMatches, renewalUrl } from '../../subscriptions/repair/renewal-link.ts';
import { retryRenewal } from '../../subscriptions/repair/retry-renewal.ts';
import { type AddressGate, refusalByAddress } from '../gate.ts';
import type { World } from '../graphql/server/world.ts';
import { languageOf, type PageLanguage } from '../page-language.ts';
import { loadBuiltPages } from '../pages/built-pages.ts';
import type { HttpHandler } from '../start-api.ts';
import {
  type RepairAction,
  renewalPage,
  renewalStyle,
  repairActions,
  sentencePage,
  type WalletNetwork,
} from './renewal-page.ts';
import { renewalWords } from './renewal-words.ts';

const PATH = /^\/renewal\/([0-9a-f-]{36})(?:\/([a-z]{1,10}))?$/;
const styleHash = createHash('sha256').update(renewalStyle).digest('base64');
const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; script-src 'self'; style-src 'sha256-${styleHash}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'cache-control': 'private, no-store',
  vary: 'accept-language',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
};

type RenewalPageWorld = Pick<World, 'database' | 'clock' | 'config' | 'secretKeys' | 'registry' | 'nodes' | 'prices'>;
type Invoice = NonNullable<Awaited<ReturnType<typeof findFailedInvoice>>>;
type Visit = { link: RenewalLink; invoice: Invoice; language: PageLanguage };

/** The response is the same for a wrong token and a missing invoice. Requests are counted by address, as calls without a key are. */
export function serveRenewal(world: RenewalPageWorld, gate: AddressGate): HttpHandler {
  return async (request, response) => {
    // Not parsed as a URL, because a target such as `//` is not one, and other handlers respond to it.
    const [path = '/', search = ''] = (request.url ?? '/').split('?', 2);
    const [, invoiceId, name] = PATH.exec(path) ?? [];
    const action = repairActions.find((known) => known === name) ?? null;
    if (invoiceId === undefined || (name !== undefined && action === null)) return false;
    nameRoute(response, action ? '/renewal/:id/:action' : '/renewal/:id');
    const { method = 'GET', headers: sent } = request;
    const language = languageOf(sent['accept-language']);
    const words = renewalWords[language];
    const refusal = await refusalByAddress(gate, request);
    if (refusal !== undefined) return answer(response, 429, sentencePage(language, words.tryLater));
    if (action ? method !== 'POST' : method !== 'GET' && method !== 'HEAD') {
      response.setHeader('allow', action ? 'POST' : 'GET, HEAD');
      return answer(response, 405, sentencePage(language, words.method));
    }
    const link = readLink(world, invoiceId, new URLSearchParams(search));
    if (link === null) return answer(response, 404, sentencePage(language, words.notFound));
    if (link.expiresAt * 1000 <= world.clock.now().getTime()) {
      return answer(response, 410, sentencePage(language, words.expired));
    }
    const invoice = await findFailedInvoice(world, link.invoiceId);
    if (!invoice) return answer(response, 404, sentencePage(language, words.notFound));
    const visit = { link, invoice, language };
    return action ? await act(world, response, visit, action) : await show(world, response, visit, method === 'HEAD');
  };
}

function readLink(world: RenewalPageWorld, invoiceId: string, query: URLSearchParams): RenewalLink | null {
  const expires = query.get('expires') ?? '';
  if (!/^[0-9]{1,12}$/.test(expires)) return null;
  const link = { invoiceId, expiresAt: Number(expires) };
  return renewalTokenMatches(world.secretKeys, link, query.get('token') ?? '') ? link : null;
}

async function show(
  world: RenewalPageWorld,
  response: ServerResponse,
  { link, invoice, language }: Visit,
  isHead: boolean,
): Promise<true> {
  const { subscription } = invoice;
  const { pathname, search } = new URL(renewalUrl(world, link));
  const chainId = subscription.consent?.chainId;
  const page = renewalPage({
    language,
    appName: subscription.app.name,
    planName: subscription.productPlan.name,
    invoice,
    repair: await readRepair(world, invoice),
    network: chainId === undefined ? null : networkOf(world, chainId),
    script: scriptPath(),
    self: `${pathname}${search}`,
    actionOf: (action) => `${pathname}/${action}${search}`,
  });
  return answer(response, 200, page, isHead);
}

function networkOf({ registry, config }: RenewalPageWorld, chainId: number): WalletNetwork | null {
  const chain = registry.chain(chainId);
  if (!chain) return null;
  const { name, native, explorerUrl } = chain;
  const rpcUrl = config.rpc.find((rpc) => rpc.chainId === chainId)?.publicUrl ?? null;
  return { chainId, name, symbol: native.symbol, decimals: native.decimals, rpcUrl, explorerUrl: explorerUrl ?? null };
}

function scriptPath(): string | null {
  const [entry] = loadBuiltPages()?.firstFiles('renewal').scripts ?? [];
  return entry === undefined ? null : `/assets/${entry}`;
}

async function act(
  world: RenewalPageWorld,
  response: ServerResponse,
  { link, invoice, language }: Visit,
  action: RepairAction,
): Promise<true> {
  try {
    return leadTo(response, await targetOf(world, { link, invoice, action }));
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== 'INVALID_STATE') throw error;
    return answer(response, 409, sentencePage(language, renewalWords[language].conflict));
  }
}

/** Performs the requested action, and returns the address to which the payer is redirected. */
async function targetOf(
  world: RenewalPageWorld,
  { link, invoice, action }: Pick<Visit, 'link' | 'invoice'> & { action: RepairAction },
): Promise<string> {
  const back = renewalUrl(world, link);
  // A payer who returns to an outdated page sees the current state.
  const { kind } = await readRepair(world, invoice);
  if (kind !== 'OPEN') return back;
  if (action === 'retry') {
    await retryRenewal(world, { invoiceId: invoice.id });
    return back;
  }
  const { app } = invoice.subscription;
  const scope = { merchantId: app.merchantId, appId: app.id };
  const { session, clientSecret } =
    action === 'consent'
      ? await createConsentRenewal(world, { scope, subscriptionId: invoice.subscription.id, options: {} })
      : await createInvoiceCheckout(world, { scope, invoiceId: invoice.id, options: {} });
  return sessionUrl(world.config.publicUrl, session.id, clientSecret);
}

function leadTo(response: ServerResponse, location: string): true {
  response.writeHead(303, { ...headers, location });
  response.end();
  return true;
}

function answer(response: ServerResponse, status: number, page: string, isHead = false): true {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(page) });
  response.end(isHead ? undefined : page);
  return true;
}
