# One image for prepare, web, recorder, worker and beat; which it is, the command says (docker-compose.yml).
FROM python:3.11-slim-bookworm

ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 DATA_DIR=/data
WORKDIR /srv/fehaciente

# The wheels of the embedded default come along in the lock file and are never started here.
COPY requirements.txt .
RUN pip install --no-cache-dir --require-hashes -r requirements.txt

COPY . .
RUN useradd --system --uid 10001 --home-dir /data fehaciente \
    && install -d -o fehaciente -g fehaciente -m 0700 /data
USER fehaciente
VOLUME /data
EXPOSE 8000 8001

CMD ["python", "-m", "granian", "--interface", "wsgi", "--host", "0.0.0.0", "--port", "8000", "--no-ws", \
     "--workers", "4", "--blocking-threads", "4", "--respawn-failed-workers", "registry_site.wsgi:application"]
