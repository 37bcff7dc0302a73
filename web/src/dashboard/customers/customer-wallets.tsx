/** The wallets from which a customer pays, and whether the escrow may charge them. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  CustomerStoryDocument,
  CustomerWalletAddDocument,
  CustomerWalletRemoveDocument,
} from '../../../../generated/web/documents.ts';
import { ApiError } from '../../api/api-error.ts';
import { chainOf, settings } from '../../settings.ts';
import { Address } from '../../ui/addresses/address.tsx';
import { Button } from '../../ui/button/button.tsx';
import { Select } from '../../ui/fields/select.tsx';
import { TextField } from '../../ui/fields/text-field.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { ErrorNote } from '../../ui/state/error-note.tsx';
import { Status } from '../../ui/state/status.tsx';
import { useApiMutation } from '../session/use-api-mutation.ts';
import { useDashboard } from '../session/use-dashboard.ts';
import type { Customer } from './customer.ts';
import styles from './customers.module.css';

type Wallet = Customer['wallets'][number];

export function CustomerWallets({ customer }: { customer: Customer }) {
  const { t } = useTranslation();
  const { mayWrite } = useDashboard();
  const [isAdding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<Wallet | null>(null);
  return (
    <section aria-labelledby="wallets" className={styles.card}>
      <div className={styles.top}>
        <h2 id="wallets">{t('customers.wallets.title')}</h2>
        {mayWrite && (
          <Button size="small" icon="plus" onPress={() => setAdding(true)}>
            {t('customers.wallets.add')}
          </Button>
        )}
      </div>
      {customer.wallets.length === 0 && <p className={styles.soft}>{t('customers.wallets.none')}</p>}
      <ul className={styles.wallets}>
        {customer.wallets.map((wallet) => (
          <li key={wallet.id} className={styles.wallet} data-wallet={wallet.walletAddress}>
            <Address value={wallet.walletAddress} chainId={wallet.chainId} />
            <span className={styles.soft}>{chainOf(wallet.chainId)?.name ?? wallet.chainId}</span>
            <Authorization wallet={wallet} />
            {mayWrite && (
              <Button look="bare" size="small" onPress={() => setRemoved(wallet)}>
                {t('customers.wallets.remove')}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {isAdding && <AddWallet customerId={customer.id} onClose={() => setAdding(false)} />}
      {removed && <RemoveWallet customerId={customer.id} wallet={removed} onClose={() => setRemoved(null)} />}
    </section>
  );
}

function Authorization({ wallet }: { wallet: Wallet }) {
  const { t } = useTranslation();
  return wallet.hasActiveAuthorization ? (
    <Status status="ACTIVE">
      {t('customers.wallets.authorized')}
      {wallet.authorizationType && ` · ${t(`customers.wallets.types.${wallet.authorizationType}`)}`}
    </Status>
  ) : (
    <Status status="INACTIVE">{t('customers.wallets.notAuthorized')}</Status>
  );
}

function AddWallet({ customerId, onClose }: { customerId: string; onClose: () => void }) {
  const { t } = useTranslation();
  const chains = settings.chains.filter(({ family }) => family === 'EVM');
  const [chainId, setChainId] = useState(String(chains[0]?.chainId ?? ''));
  const [walletAddress, setWalletAddress] = useState('');
  const add = useApiMutation(CustomerWalletAddDocument, { changes: [CustomerStoryDocument] });
  const faults = add.error instanceof ApiError ? (add.error.fault.details ?? []) : [];
  const ofAddress = faults.find(({ param }) => param.endsWith('walletAddress'));
  const save = async () => {
    const input = { chainId: Number(chainId), walletAddress: walletAddress.trim() };
    if (await add.mutateAsync({ customerId, input }).then(Boolean, () => false)) onClose();
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('customers.wallets.add')}
      actions={
        <>
          <Button onPress={onClose}>{t('everywhere.cancel')}</Button>
          <Button
            look="primary"
            onPress={save}
            isDisabled={walletAddress.trim() === ''}
            busyWords={t('everywhere.saving')}
          >
            {t('customers.wallets.add')}
          </Button>
        </>
      }
    >
      <div className={styles.single}>
        <Select
          label={t('customers.wallets.chain')}
          value={chainId}
          options={chains.map((chain) => ({ value: String(chain.chainId), words: chain.name }))}
          onChange={setChainId}
        />
        <TextField
          label={t('customers.wallets.address')}
          placeholder="0x…"
          autoComplete="off"
          spellCheck={false}
          value={walletAddress}
          error={ofAddress && t('customers.wallets.addressFault')}
          onChange={(event) => setWalletAddress(event.target.value)}
        />
        {!ofAddress && <ErrorNote error={add.error} />}
      </div>
    </Dialog>
  );
}

function RemoveWallet({ customerId, wallet, onClose }: { customerId: string; wallet: Wallet; onClose: () => void }) {
  const { t } = useTranslation();
  const remove = useApiMutation(CustomerWalletRemoveDocument, { changes: [CustomerStoryDocument] });
  const send = async () => {
    if (await remove.mutateAsync({ customerId, walletId: wallet.id }).then(Boolean, () => false)) onClose();
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('customers.wallets.removeTitle')}
      about={t('customers.wallets.removeAbout', { address: wallet.walletAddress })}
      actions={
        <>
          <Button onPress={onClose}>{t('everywhere.cancel')}</Button>
          <Button look="danger" onPress={send}>
            {t('customers.wallets.remove')}
          </Button>
        </>
      }
    >
      <ErrorNote error={remove.error} />
    </Dialog>
  );
}
