/** What a page loads until an element is shown, as counted by the browser itself. */
import type { Page } from 'playwright-core';

/** `requests` contains methods and URLs, including preflights and websockets. `bytes` were received over the network, including headers. */
export type Load = { requests: string[]; bytes: number };

/** Must be called before the page navigates. Returns what was loaded until an element first matched `selector`. */
export async function weighLoading(page: Page, selector: string): Promise<() => Promise<Load>> {
  const tools = await page.context().newCDPSession(page);
  const requests = new Map<string, { at: number; name: string; bytes: number }>();
  const add = (requestId: string, bytes: number) => {
    const request = requests.get(requestId);
    if (request) request.bytes += bytes;
  };
  await tools.send('Network.enable');
  tools.on('Network.requestWillBeSent', ({ requestId, request, wallTime, redirectResponse }) => {
    if (!/^https?:/.test(request.url) || redirectResponse) return;
    requests.set(requestId, { at: wallTime * 1000, name: `${request.method} ${request.url}`, bytes: 0 });
  });
  tools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => add(requestId, encodedDataLength));
  tools.on('Network.webSocketWillSendHandshakeRequest', ({ requestId, wallTime }) => {
    requests.set(requestId, { at: wallTime * 1000, name: 'WEBSOCKET', bytes: 0 });
  });
  tools.on('Network.webSocketFrameReceived', ({ requestId, response }) => add(requestId, response.payloadData.length));
  await page.addInitScript((wanted) => {
    const look = () => {
      if (!document.querySelector(wanted)) return;
      Reflect.set(window, 'shownAt', Date.now());
      watching.disconnect();
    };
    const watching = new MutationObserver(look);
    watching.observe(document, { subtree: true, childList: true, attributes: true });
  }, selector);
  return async () => {
    const shownAt = await page.evaluate((): number => Reflect.get(window, 'shownAt'));
    const counted = [...requests.values()].filter(({ at }) => at <= shownAt);
    return { requests: counted.map(({ name }) => name), bytes: counted.reduce((sum, { bytes }) => sum + bytes, 0) };
  };
}
