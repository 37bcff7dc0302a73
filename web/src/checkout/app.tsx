/** Which of the two pages it is. A link that was begun becomes its session under the session's own address. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { useState } from 'react';
import { CheckoutPage } from './checkout-page.tsx';
import { LinkPage } from './link/link-page.tsx';
import { type PageAddress, readAddress } from './session/page-address.ts';
import { keepSecret, secretOf } from './session/secret.ts';
import { PageFault } from './view/page-fault.tsx';
import { UnknownPage } from './view/unknown-page.tsx';

const queries = new QueryClient({ defaultOptions: { queries: { refetchOnWindowFocus: true, staleTime: 5_000 } } });

export function App() {
  const [address, setAddress] = useState<PageAddress | undefined>(() => readAddress(location.pathname));
  const begin = (session: { id: string; clientSecret: string }) => {
    keepSecret(session.id, session.clientSecret);
    history.replaceState(null, '', `/checkout/${session.id}#${session.clientSecret}`);
    setAddress({ page: 'checkout', id: session.id });
  };
  return (
    <QueryClientProvider client={queries}>
      <PageFault>
        {address?.page === 'link' && <LinkPage slug={address.slug} onBegun={begin} />}
        {address?.page === 'checkout' && <SessionPage id={address.id} />}
        {!address && <UnknownPage what="session" />}
      </PageFault>
    </QueryClientProvider>
  );
}

function SessionPage({ id }: { id: string }) {
  const [session] = useState(() => {
    const secret = secretOf(id, location.hash);
    return secret === undefined ? undefined : { id, credential: { 'x-client-secret': secret } };
  });
  return session ? <CheckoutPage session={session} /> : <UnknownPage what="session" />;
}
