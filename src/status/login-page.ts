import { renderPage } from './render-page.ts';

const head = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>ingestd</title>
<link rel="icon" href="/assets/status/page/icon.svg">
<link rel="stylesheet" href="/assets/status/page/page.css">`;

const form = `${head}
</head>
<body class="login">
<main>
<h1>ingestd</h1>
<p>This address asks for its token.</p>
<form method="post" action="/login">
<label for="token">Token</label>
<input id="token" name="token" type="password" autocomplete="current-password" required autofocus>
<p class="login-problem" role="alert">{{problem}}</p>
<button type="submit" class="strong">Open</button>
</form>
</main>
</body>
</html>
`;

const onward = `${head}
<meta http-equiv="refresh" content="0;url=/">
</head>
<body class="login"><main><h1>ingestd</h1><p><a href="/">Open the page</a></p></main></body>
</html>
`;

/** The form that asks for the token; `problem` says why it asks again. */
export function loginPage(problem = ''): string {
  return renderPage(form, { problem });
}

/**
 * Leads on to the page once the cookie is set. A redirect would not do: a strict cookie is not sent along where the
 * way began at another site.
 */
export function onwardPage(): string {
  return onward;
}
