/** Login with a code that is sent by email: the address, then six digits, then the merchant if there are several. */
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  LoginRequestDocument,
  type LoginRequestMutation,
  LoginVerifyDocument,
} from '../../../../generated/web/documents.ts';
import { ApiError } from '../../api/api-error.ts';
import { ask } from '../../api/ask.ts';
import { Button } from '../../ui/button/button.tsx';
import { TextField } from '../../ui/fields/text-field.tsx';
import { ErrorNote } from '../../ui/state/error-note.tsx';
import { Note } from '../../ui/state/note.tsx';
import styles from './login-page.module.css';
import { merchantChoices } from './merchant-choices.ts';
import type { StoredLogin } from './stored-login.ts';

type LoginPageProps = {
  /** Set after the login expired. The page says so, and the address is already filled in. */
  expired?: { email: string } | undefined;
  onLogin: (login: StoredLogin) => void;
};

export function LoginPage({ expired, onLogin }: LoginPageProps) {
  const { t } = useTranslation();
  const [email, setEmail] = useState(expired?.email ?? '');
  const [code, setCode] = useState('');
  const asking = useRef<Promise<LoginRequestMutation>>(undefined);
  const request = useMutation({
    // Of two concurrent requests, the second would be refused for now, and its error would hide that a code was mailed.
    mutationFn: () => {
      asking.current ??= ask(LoginRequestDocument, { email: email.trim() }).finally(() => {
        asking.current = undefined;
      });
      return asking.current;
    },
  });
  const verify = useMutation({
    mutationFn: async (merchantId: string | null) => {
      const requestId = request.data?.requestLogin.requestId ?? '';
      const { verifyLogin } = await ask(LoginVerifyDocument, { requestId, code: code.trim(), merchantId });
      const { accessToken, expiresIn, member } = verifyLogin;
      const expiresAt = Date.now() + expiresIn * 1000;
      onLogin({ token: accessToken, expiresAt, memberId: member.id, email: member.email });
    },
  });
  const choices = merchantChoices(verify.error);
  const isWrong = verify.error instanceof ApiError && verify.error.code === 'AUTHENTICATION_ERROR';

  const send = (event: FormEvent) => {
    event.preventDefault();
    if (request.isSuccess) verify.mutate(null);
    else request.mutate();
  };
  const startOver = () => {
    request.reset();
    verify.reset();
    setCode('');
  };

  return (
    <main className={styles.page}>
      <form className={styles.card} onSubmit={send} noValidate>
        <p className={styles.name}>Sluice</p>
        <h1>{t('shell.login.title')}</h1>
        {expired && !request.isSuccess && (
          <Note tone="wait" title={t('shell.login.expired')}>
            {t('shell.login.expiredMore')}
          </Note>
        )}
        {choices.length > 0 ? (
          <>
            <p className={styles.about}>{t('shell.login.chooseMerchant')}</p>
            <ul className={styles.choices}>
              {choices.map(({ id, name }) => (
                <li key={id}>
                  <Button isWide isBusy={verify.isPending} onPress={() => verify.mutate(id)}>
                    {name}
                  </Button>
                </li>
              ))}
            </ul>
          </>
        ) : request.isSuccess ? (
          <>
            <p className={styles.about}>{t('shell.login.sent', { email: email.trim() })}</p>
            <TextField
              key="code"
              label={t('shell.login.code')}
              className={styles.code}
              value={code}
              onChange={(event) => setCode(event.target.value.replace(/\D/g, '').slice(0, 6))}
              inputMode="numeric"
              autoComplete="one-time-code"
              autoFocus
              error={isWrong ? t('shell.login.wrong') : undefined}
            />
            {!isWrong && <ErrorNote error={verify.error} />}
            <Button
              look="primary"
              size="large"
              type="submit"
              isWide
              isBusy={verify.isPending}
              isDisabled={code.length < 6}
            >
              {t('shell.login.logIn')}
            </Button>
            <Button look="bare" size="small" onPress={startOver}>
              {t('shell.login.again')}
            </Button>
          </>
        ) : (
          <>
            <p className={styles.about}>{t('shell.login.about')}</p>
            <TextField
              key="email"
              label={t('shell.login.email')}
              type="email"
              name="email"
              autoComplete="email"
              value={email}
              onChange={(event) => setEmail(event.target.value)}
              autoFocus
            />
            <ErrorNote error={request.error} />
            <Button
              look="primary"
              size="large"
              type="submit"
              isWide
              isBusy={request.isPending}
              isDisabled={!email.includes('@')}
            >
              {t('shell.login.mailCode')}
            </Button>
          </>
        )}
      </form>
    </main>
  );
}
