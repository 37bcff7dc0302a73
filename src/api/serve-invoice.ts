/** The printable page of an invoice. GET shows it, and POST to `/pay` redirects to a checkout session that pays it. */
import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { imageAddress } from '../auth/tokens/image-address.ts';
import { sessionUrl } from '../checkout/checkout-session.ts';
import { GatewayError } from '../errors.ts';
import { createInvoiceCheckout } from '../invoices/create-invoice-checkout.ts';
import { invoiceTokenMatches, invoiceUrl } from '../invoices/page/invoice-link.ts';
import { invoicePage, invoiceSentencePage, type PrintedInvoice } from '../invoices/page/invoice-page.ts';
import { invoiceWords } from '../invoices/page/invoice-words.ts';
import { pageStyle, styleOf } from '../invoices/page/page-style.ts';
import { nameRoute } from '../platform/http-call.ts';
import { type AddressGate, refusalByAddress } from './gate.ts';
import type { World } from './graphql/server/world.ts';
import { languageOf, type PageLanguage } from './page-language.ts';
import type { HttpHandler } from './start-api.ts';

const PATH = /^\/invoice\/([0-9a-f-]{36})(\/pay)?$/;
const headers = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'private, no-store',
  vary: 'accept-language',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
};

type InvoiceWorld = Pick<World, 'database' | 'clock' | 'config' | 'secretKeys'>;

/**
 * The response is the same for a wrong token, a draft and a missing invoice. Requests are counted by address, as calls without a key are.
 */
export function serveInvoice(world: InvoiceWorld, gate: AddressGate): HttpHandler {
  return async (request, response) => {
    // Not parsed as a URL, because a target such as `//` is not one, and other handlers respond to it.
    const [path = '/', search = ''] = (request.url ?? '/').split('?', 2);
    const [, id, pays] = PATH.exec(path) ?? [];
    if (id === undefined) return false;
    nameRoute(response, pays ? '/invoice/:id/pay' : '/invoice/:id');
    const language = languageOf(request.headers['accept-language']);
    const words = invoiceWords[language];
    const respond = (status: number, sentence: { title: string; text: string }) =>
      answer(response, status, invoiceSentencePage(language, sentence));
    const refusal = await refusalByAddress(gate, request);
    if (refusal !== undefined) return respond(429, words.tryLater);
    const method = request.method ?? 'GET';
    if (pays ? method !== 'POST' : method !== 'GET' && method !== 'HEAD') return respond(405, words.method);
    const token = new URLSearchParams(search).get('token') ?? '';
    const invoice = invoiceTokenMatches(world.secretKeys, id, token) ? await findInvoice(world, id) : null;
    if (!invoice) return respond(404, words.notFound);
    if (pays) return await pay(world, response, { invoice, language });
    const logoPath = imageAddress(world.secretKeys, invoice.app.logoUrl);
    const page = invoicePage(invoice, { language, payAction: payAction(world, invoice), logoPath });
    const style = styleOf(invoice.app.accentColor);
    return answer(response, 200, page, { isHead: method === 'HEAD', style });
  };
}

async function findInvoice(world: InvoiceWorld, id: string): Promise<PrintedInvoice | null> {
  return await world.database.invoice.findUnique({
    where: { id, status: { not: 'DRAFT' } },
    include: { items: { orderBy: { position: 'asc' }, include: { taxRate: true } }, app: true, customerAccount: true },
  });
}

/**
 * Open invoices can be paid on this page. The invoice of a renewal is charged by its subscription, and can be paid here after a
 * charge has failed. If another charge is made in the meantime, both pay the same payment intent, which accepts one payment and
 * returns the other.
 */
function payAction(world: InvoiceWorld, invoice: PrintedInvoice): string | null {
  const isOpen = invoice.status === 'OPEN' || invoice.status === 'PAST_DUE';
  const isChargedElsewhere =
    invoice.subscriptionId !== null && invoice.usageReason === null && invoice.lastErrorCode === null;
  if (!isOpen || isChargedElsewhere) return null;
  const { pathname, search } = new URL(invoiceUrl(world, invoice.id));
  return `${pathname}/pay${search}`;
}

async function pay(
  world: InvoiceWorld,
  response: ServerResponse,
  { invoice, language }: { invoice: PrintedInvoice; language: PageLanguage },
): Promise<true> {
  try {
    if (payAction(world, invoice) === null) throw new GatewayError('INVALID_STATE', 'There is nothing to pay.');
    const { session, clientSecret } = await createInvoiceCheckout(world, {
      scope: { merchantId: invoice.app.merchantId, appId: invoice.appId },
      invoiceId: invoice.id,
      options: {},
    });
    const location = sessionUrl(world.config.publicUrl, session.id, clientSecret);
    response.writeHead(303, { ...headers, 'content-security-policy': policyOf(pageStyle), location });
    response.end();
    return true;
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== 'INVALID_STATE') throw error;
    return answer(response, 409, invoiceSentencePage(language, invoiceWords[language].conflict));
  }
}

function answer(
  response: ServerResponse,
  status: number,
  page: string,
  { isHead = false, style = pageStyle }: { isHead?: boolean; style?: string } = {},
): true {
  response.writeHead(status, {
    ...headers,
    'content-security-policy': policyOf(style),
    'content-length': Buffer.byteLength(page),
  });
  response.end(isHead ? undefined : page);
  return true;
}

/** Allows the one style sheet, and images of this installation. */
function policyOf(style: string): string {
  const hash = createHash('sha256').update(style).digest('base64');
  return `default-src 'none'; style-src 'sha256-${hash}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; img-src 'self'`;
}
