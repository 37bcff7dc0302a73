/**
 * The URL that a payment is for. Behind a proxy, a server sees its own host and plain HTTP; `publicUrl` names what clients call.
 * Forwarded headers are used only on request, because any client can send them. The query is left out: a quote is for a path.
 */
import type { PaidCall } from './paid-call.ts';

export type ResourceUrlOptions = { publicUrl?: string | undefined; trustProxy?: boolean | undefined };

export function resourceUrl(call: PaidCall, options: ResourceUrlOptions): string {
  const url = new URL(call.url);
  url.search = '';
  url.hash = '';
  url.username = '';
  url.password = '';
  if (options.publicUrl !== undefined) {
    const base = new URL(options.publicUrl);
    return `${base.origin}${base.pathname.replace(/\/+$/, '')}${url.pathname}`;
  }
  if (options.trustProxy) applyForwarded(url, call);
  return url.toString();
}

function applyForwarded(url: URL, call: PaidCall): void {
  const protocol = first(call.header('x-forwarded-proto'));
  const host = first(call.header('x-forwarded-host'));
  if (host && /^[A-Za-z0-9.-]+(:\d{1,5})?$|^\[[0-9A-Fa-f:.]+\](:\d{1,5})?$/.test(host)) {
    // A port of its own does not survive if the forwarded host has none.
    url.port = '';
    url.host = host;
  }
  if (protocol === 'http' || protocol === 'https') url.protocol = protocol;
}

function first(value: string | undefined): string | undefined {
  return value?.split(',')[0]?.trim().toLowerCase();
}
