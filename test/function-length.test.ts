/**
 * The length of functions: at most 70 lines, and 120 for a component. Longer ones are in `longer`, each with the length that it has
 * and may not exceed, and the reason why it is one piece. Shortening one means lowering or removing its entry.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const FUNCTION_LIMIT = 70;
const COMPONENT_LIMIT = 120;

/** Opens a server, a connection or a session and returns its handle. Its inner functions share private state. */
const SHARED_STATE = 'functions that share private state';
/** Mostly one literal with one line per field. */
const FLAT_LIST = 'a flat list';
/** Steps that run in order, with values that most later steps use. */
const STEPS = 'consecutive steps on the same values';
/** A page, a form or a drawing whose parts share its state. */
const ONE_SCREEN = 'one screen whose parts share its state';

/** `file function`: [lines, reason]. */
const longer: { [place: string]: [lines: number, reason: string] } = {
  'packages/sdk/src/receiver/create-receiver.ts createReceiver': [75, SHARED_STATE],
  'packages/x402/src/client/create-buyer.ts createBuyer': [89, SHARED_STATE],
  'src/api/encoding/encoding-response.ts encodingResponse': [83, SHARED_STATE],
  'src/api/gate.ts openGate': [90, SHARED_STATE],
  'src/api/graphql/server/websocket.ts openWebsocket': [128, SHARED_STATE],
  'src/api/rest/open-rest.ts openRest': [122, SHARED_STATE],
  'src/api/start-api.ts startApi': [103, SHARED_STATE],
  'src/checkout/solana/plan-solana-payment.ts planSolanaPayment': [78, STEPS],
  'src/config/config.ts parseConfig': [115, FLAT_LIST],
  'src/events/consumers/run-consumers.ts openServer': [75, SHARED_STATE],
  'src/events/feed.ts openFeed': [123, SHARED_STATE],
  'src/events/webhooks/run-webhooks.ts runWebhooks': [92, SHARED_STATE],
  'src/gateway/sources/source-gate.ts openSourceGate': [102, SHARED_STATE],
  'src/local/evm/write-chain.ts writeChain': [133, SHARED_STATE],
  'src/local/solana/ledger.ts openLedger': [91, SHARED_STATE],
  'src/operations/metrics/table-gauges.ts openGauges': [96, SHARED_STATE],
  'src/platform/database/listener.ts openListener': [96, SHARED_STATE],
  'src/platform/queue.ts runQueue': [81, SHARED_STATE],
  'src/subscriptions/activation/write-first-invoice.ts writeFirstInvoice': [72, FLAT_LIST],
  'src/subscriptions/consent/prepare-consent.ts prepareFirst': [92, STEPS],
  'src/subscriptions/create-subscription.ts createSubscription': [77, STEPS],
  'src/test-clock/open-clock.ts openClock': [82, SHARED_STATE],
  'web/src/checkout/checkout-page.tsx CheckoutPage': [140, ONE_SCREEN],
  'web/src/checkout/link/begin-form.tsx BeginForm': [145, ONE_SCREEN],
  'web/src/checkout/pay/use-payment.ts usePayment': [85, SHARED_STATE],
  'web/src/checkout/solana/use-solana-payment.ts useSolanaPayment': [96, SHARED_STATE],
  'web/src/dashboard/invoices/invoice-new-page.tsx InvoiceNewPage': [122, ONE_SCREEN],
  'web/src/dashboard/links/link-form.tsx LinkForm': [123, ONE_SCREEN],
  'web/src/dashboard/settings/general-form.tsx GeneralForm': [150, ONE_SCREEN],
  'web/src/ui/chart/chart.tsx Chart': [138, ONE_SCREEN],
};

type Measured = { place: string; lines: number; limit: number };

function filesUnder(folder: string): string[] {
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  return entries.flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return ['node_modules', 'generated', 'dist'].includes(entry.name) ? [] : filesUnder(path);
    return /\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

/** The functions of a file that exceed their limit, without the callback `fields` of a GraphQL type, which is a list. */
function longFunctions(file: string): Measured[] {
  const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true);
  const found: Measured[] = [];
  const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line;
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body) {
      const name = nameOf(node);
      const lines = lineOf(node.end) - lineOf(node.getStart()) + 1;
      const limit = hasMarkup(node) ? COMPONENT_LIMIT : FUNCTION_LIMIT;
      const isFieldList = name === 'fields' && file.startsWith('src/api/graphql/');
      if (lines > limit && !isFieldList) found.push({ place: `${file} ${name}`, lines, limit });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function nameOf(node: ts.SignatureDeclaration): string {
  if (node.name) return node.name.getText();
  const { parent } = node;
  return (ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent)) && parent.name
    ? parent.name.getText()
    : '(anonymous)';
}

function hasMarkup(node: ts.Node): boolean {
  if (ts.isJsxElement(node) || ts.isJsxSelfClosingElement(node) || ts.isJsxFragment(node)) return true;
  return ts.forEachChild(node, hasMarkup) ?? false;
}

const measured = ['src', 'web', 'indexer', 'packages', 'shops'].flatMap(filesUnder).flatMap(longFunctions);

describe('functions', () => {
  it('have at most 70 lines, or 120 for components, except for the listed ones, which do not grow', () => {
    const excess = measured.filter(({ place, lines, limit }) => lines > (longer[place]?.[0] ?? limit));
    expect(excess).toEqual([]);
  });

  it('are listed only while they exceed the limit', () => {
    const places = measured.map(({ place }) => place);
    expect(Object.keys(longer).filter((place) => !places.includes(place))).toEqual([]);
  });
});
