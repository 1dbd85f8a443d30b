#!/bin/sh
# The program, on the runtime that comes with it. With the service's configuration it uses the service's secrets, where
# whoever runs this may read them.
secrets=/etc/ingestd/credentials
case " $* " in
  *' --config'* | *' -c '*) ;;
  *)
    if [ -z "${CREDENTIALS_DIRECTORY-}${INGESTD_CONFIG-}" ] && [ ! -e ingestd.yaml ] && [ -r "$secrets" ]; then
      export CREDENTIALS_DIRECTORY="$secrets"
    fi
    ;;
esac
exec /usr/lib/ingestd/node /usr/lib/ingestd/dist/main.js "$@"
