/** What a page loads until something is shown, as the browser itself counts it. */
import type { Page } from 'playwright-core';

/** `requests` by their method and URL, preflights and websockets included; `bytes` as they came over the network, with headers. */
export type Load = { requests: string[]; bytes: number };

/** Before the page goes anywhere. Answers what was asked for until an element of `selector` was first there, and all bytes so far. */
export async function weighLoading(page: Page, selector: string): Promise<() => Promise<Load>> {
  const tools = await page.context().newCDPSession(page);
  const requests: { at: number; name: string }[] = [];
  let bytes = 0;
  await tools.send('Network.enable');
  tools.on('Network.requestWillBeSent', ({ request, wallTime, redirectResponse }) => {
    const isOfNetwork = /^https?:/.test(request.url) && !redirectResponse;
    if (isOfNetwork) requests.push({ at: wallTime * 1000, name: `${request.method} ${request.url}` });
  });
  tools.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  tools.on('Network.webSocketWillSendHandshakeRequest', ({ wallTime }) => {
    requests.push({ at: wallTime * 1000, name: 'WEBSOCKET' });
  });
  tools.on('Network.webSocketFrameReceived', ({ response }) => {
    bytes += response.payloadData.length;
  });
  await page.addInitScript((wanted) => {
    const look = () => {
      if (!document.querySelector(wanted)) return;
      Reflect.set(window, 'shownAt', Date.now());
      watching.disconnect();
    };
    const watching = new MutationObserver(look);
    watching.observe(document, { subtree: true, childList: true });
  }, selector);
  return async () => {
    const shownAt = await page.evaluate((): number => Reflect.get(window, 'shownAt'));
    return { requests: requests.filter(({ at }) => at <= shownAt).map(({ name }) => name), bytes };
  };
}
