/** `/pay` asks for a wallet and redirects to its page; `/pay/0x…` is the page of that wallet. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { getAddress, isAddress } from 'viem';
import { useLocation } from 'wouter';
import { Address } from '../ui/addresses/address.tsx';
import { Button } from '../ui/button/button.tsx';
import { ButtonLink } from '../ui/button/button-link.tsx';
import { Note } from '../ui/state/note.tsx';
import { disconnectWallet, resumeWallet, useWallet } from '../wallet/evm/use-wallet.ts';
import { ConnectCard } from './login/connect-card.tsx';
import { Resuming } from './login/resuming.tsx';
import { SignInGate } from './login/sign-in-gate.tsx';
import { PageFrame } from './view/page-frame.tsx';
import styles from './view/payer.module.css';

// Queries also run when the browser reports that it is offline, because a local node or the wallet may still respond.
const queries = new QueryClient({ defaultOptions: { queries: { networkMode: 'always', retry: false } } });
/** Called once per page before the first render. It must not run again when a part of the page is rendered again. */
resumeWallet().catch(() => undefined);

export function App() {
  return (
    <QueryClientProvider client={queries}>
      <Page />
    </QueryClientProvider>
  );
}

function Page() {
  const { t } = useTranslation();
  const [path, go] = useLocation();
  const wallet = useWallet();
  const named = path.split('/')[2] ?? '';
  useEffect(() => {
    document.title = t('payer.title');
  }, [t]);
  useEffect(() => {
    if (named === '' && wallet.status === 'connected' && wallet.address)
      go(`/pay/${wallet.address}`, { replace: true });
  }, [named, wallet.status, wallet.address, go]);

  if (named !== '' && !isAddress(named, { strict: false })) {
    return (
      <PageFrame hasNoHeading>
        <Note
          tone="bad"
          title={t('payer.noAddress.title')}
          actions={<ButtonLink href="/pay">{t('payer.noAddress.way')}</ButtonLink>}
        >
          {t('payer.noAddress.words')}
        </Note>
      </PageFrame>
    );
  }
  if (wallet.status === 'reconnecting') {
    return (
      <PageFrame>
        <Resuming />
      </PageFrame>
    );
  }
  if (wallet.status !== 'connected' || !wallet.address) {
    return (
      <PageFrame>
        <ConnectCard wanted={named === '' ? undefined : getAddress(named)} />
      </PageFrame>
    );
  }
  const { address } = wallet;
  if (named !== '' && getAddress(named) !== address) {
    return (
      <PageFrame wallet={address} hasNoHeading>
        <Note tone="wait" title={t('payer.other.title')}>
          <p>{t('payer.other.words')}</p>
          <p className={styles.pair}>
            <span>{t('payer.other.wanted')}</span> <Address value={getAddress(named)} isBare />
          </p>
          <p className={styles.pair}>
            <span>{t('payer.other.connected')}</span> <Address value={address} isBare />
          </p>
        </Note>
        <div className={styles.buttons}>
          <Button look="primary" onPress={() => go(`/pay/${address}`)}>
            {t('payer.other.mine')}
          </Button>
          <Button onPress={() => disconnectWallet()}>{t('payer.other.change')}</Button>
        </div>
      </PageFrame>
    );
  }
  return (
    <PageFrame wallet={address}>
      <SignInGate key={address} wallet={address} />
    </PageFrame>
  );
}
