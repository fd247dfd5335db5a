"""Triggers that hold each event to the one before it and to its own bytes, and the state row to the last event."""

from django.db import migrations

FORWARD = """
CREATE FUNCTION certificates_follow_last_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    last_event certificates_statusevent%ROWTYPE;
    said jsonb;
    issued_number text;
BEGIN
    SELECT * INTO last_event FROM certificates_statusevent
        WHERE certificate_id = NEW.certificate_id ORDER BY sequence DESC LIMIT 1;
    IF NEW.sequence <> coalesce(last_event.sequence, 0) + 1 THEN
        RAISE EXCEPTION 'events follow without a gap: % after %', NEW.sequence, last_event.sequence
            USING ERRCODE = 'check_violation', CONSTRAINT = 'an_event_follows_the_last_one';
    END IF;
    IF NEW.previous IS DISTINCT FROM last_event.hash THEN
        RAISE EXCEPTION 'an event names the hash of the one before'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'an_event_names_the_hash_before';
    END IF;
    IF NEW.at < last_event.at THEN
        RAISE EXCEPTION 'an event is not earlier than the one before: % < %', NEW.at, last_event.at
            USING ERRCODE = 'check_violation', CONSTRAINT = 'an_event_is_not_earlier_than_the_last';
    END IF;
    said := convert_from(NEW.bytes, 'UTF8')::jsonb;
    SELECT number INTO issued_number FROM certificates_certificate WHERE id = NEW.certificate_id;
    IF said->>'certificate' IS DISTINCT FROM issued_number
        OR (said->>'sequence')::int IS DISTINCT FROM NEW.sequence
        OR said->>'document' IS DISTINCT FROM NEW.document_id
        OR said->>'previous' IS DISTINCT FROM NEW.previous
        OR said->>'reason' IS DISTINCT FROM NEW.reason
        OR said->>'role' IS DISTINCT FROM NEW.role
        OR (said->>'at')::timestamptz IS DISTINCT FROM NEW.at
        OR said->>'notice' IS DISTINCT FROM (SELECT number FROM certificates_notice WHERE id = NEW.notice_id)
    THEN
        RAISE EXCEPTION 'the bytes of an event say what its columns say'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'event_bytes_say_what_the_columns_say';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER follow_last_event BEFORE INSERT ON certificates_statusevent
    FOR EACH ROW EXECUTE FUNCTION certificates_follow_last_event();

CREATE FUNCTION certificates_state_follows_events() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE last_event certificates_statusevent%ROWTYPE;
BEGIN
    SELECT * INTO last_event FROM certificates_statusevent
        WHERE certificate_id = NEW.certificate_id ORDER BY sequence DESC LIMIT 1;
    IF last_event.sequence IS DISTINCT FROM NEW.sequence OR last_event.hash IS DISTINCT FROM NEW.event_hash THEN
        RAISE EXCEPTION 'the state of a certificate follows its last event'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'a_state_follows_the_last_event';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER state_follows_events BEFORE INSERT OR UPDATE ON certificates_certificatestate
    FOR EACH ROW EXECUTE FUNCTION certificates_state_follows_events();
"""

BACKWARD = """
DROP TRIGGER follow_last_event ON certificates_statusevent;
DROP FUNCTION certificates_follow_last_event;
DROP TRIGGER state_follows_events ON certificates_certificatestate;
DROP FUNCTION certificates_state_follows_events;
"""


class Migration(migrations.Migration):
    dependencies = [("certificates", "0002_written_once")]

    operations = [migrations.RunSQL(FORWARD, BACKWARD)]
