/** States the sources of the page's data if some of them are missing. */
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/button/button.tsx';
import { Note } from '../../ui/state/note.tsx';
import { evmChains } from '../../wallet/evm/wallet-config.ts';
import type { KnownHoldings } from './use-holdings.ts';

export function SourceNote({ known, onSignIn }: { known: KnownHoldings; onSignIn: () => void }) {
  const { t } = useTranslation();
  const unread = known.isRead ? evmChains().filter(({ chainId }) => !known.chains.has(chainId)) : [];
  return (
    <>
      {known.gateway === 'AWAY' && (
        <Note tone="wait" isUrgent title={t('payer.gateway.AWAY')}>
          {t('payer.gateway.awayWords')}
        </Note>
      )}
      {known.gateway === 'NOT_ASKED' && (
        <Note
          title={t('payer.gateway.NOT_ASKED')}
          actions={
            <Button size="small" onPress={onSignIn}>
              {t('payer.signIn.button')}
            </Button>
          }
        >
          {t('payer.gateway.notAskedWords')}
        </Note>
      )}
      {known.gateway === 'ENDED' && (
        <Note
          tone="wait"
          title={t('payer.gateway.ENDED')}
          actions={
            <Button size="small" onPress={onSignIn}>
              {t('payer.signIn.button')}
            </Button>
          }
        />
      )}
      {unread.length > 0 && (
        <Note tone="wait" title={t('payer.unread.title', { names: unread.map(({ name }) => name).join(', ') })}>
          {t('payer.unread.words')}
        </Note>
      )}
    </>
  );
}
