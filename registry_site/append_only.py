"""Written-once rows: the model refuses in Python, triggers refuse in the database, whoever asks.

Example, in an app's `models` and in its hand-written migration `0002_written_once.py`::

    class Measurement(FrozenParent): ...
    class Figure(WrittenOnce): measurement = ForeignKey(Measurement, …)

    operations = [
        append_only.refuse_changes("grading_measurement"),
        append_only.refuse_changes("grading_figure"),
        append_only.freeze_children("grading_figure", parent="grading_measurement", key="measurement_id"),
        append_only.guard_clock("certificates_statusevent", column="at"),
    ]

django-pgtrigger was left out: any session can switch its triggers off (`SET pgtrigger.ignore`).
There is no TRUNCATE trigger on purpose: the application role has no right to truncate, and the test
runner must. `registry_site/tests/test_append_only.py` holds that each model here has its triggers.
"""

from django.apps import apps
from django.db import migrations, models


class WrittenOnceError(TypeError):
    """Someone tried to change or delete a row that is written once."""


class _WrittenOnceQuerySet(models.QuerySet):
    def update(self, **kwargs):
        raise WrittenOnceError(f"{self.model.__name__} rows are written once: append a new row instead.")

    def delete(self):
        raise WrittenOnceError(f"{self.model.__name__} rows are never deleted.")

    def bulk_update(self, objs, fields, batch_size=None):
        raise WrittenOnceError(f"{self.model.__name__} rows are written once: append a new row instead.")


class WrittenOnce(models.Model):
    """A row that nobody changes or deletes; a correction is a new row that names the old one."""

    objects = _WrittenOnceQuerySet.as_manager()

    class Meta:
        abstract = True

    def save(self, *args, **kwargs):
        if not self._state.adding:
            raise WrittenOnceError(f"{type(self).__name__} rows are written once: append a new row instead.")
        kwargs["force_insert"] = True
        super().save(*args, **kwargs)

    def delete(self, *args, **kwargs):
        raise WrittenOnceError(f"{type(self).__name__} rows are never deleted.")


class CurrentTransaction(models.Func):
    """The number of the running transaction, the same inside its savepoints."""

    template = "pg_current_xact_id()::text::bigint"
    output_field = models.BigIntegerField()

    def __init__(self):
        super().__init__()


class FrozenParent(WrittenOnce):
    """A written-once row whose children may only be inserted by the transaction that made it."""

    created_in = models.BigIntegerField(db_default=CurrentTransaction(), editable=False)

    class Meta:
        abstract = True


def written_once_models() -> list[type[models.Model]]:
    """Every concrete written-once model, for grants and for the test that each has its triggers."""
    return [model for model in apps.get_models() if issubclass(model, WrittenOnce)]


def _sql(forward: str, backward: str) -> migrations.RunSQL:
    return migrations.RunSQL(forward, backward)


def install_functions() -> migrations.RunSQL:
    """The trigger functions, made once by the first migration of registry_site."""
    return _sql(
        """
        CREATE FUNCTION registry_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            RAISE EXCEPTION 'written once: % of % is refused; append a new row instead', TG_OP, TG_TABLE_NAME
                USING ERRCODE = 'restrict_violation';
        END $$;

        CREATE FUNCTION registry_refuse_late_child() RETURNS trigger LANGUAGE plpgsql AS $$
        DECLARE made_in bigint;
        BEGIN
            EXECUTE format('SELECT created_in FROM %I WHERE id = ($1).%I', TG_ARGV[0], TG_ARGV[1])
                INTO made_in USING NEW;
            IF made_in IS DISTINCT FROM pg_current_xact_id()::text::bigint THEN
                RAISE EXCEPTION 'frozen parent: % takes no new rows of %', TG_ARGV[0], TG_TABLE_NAME
                    USING ERRCODE = 'restrict_violation';
            END IF;
            RETURN NEW;
        END $$;

        -- Read from the catalogue and not with current_setting(): a session can set a parameter, only the
        -- owner can ALTER DATABASE.
        CREATE FUNCTION registry_clock_may_move() RETURNS boolean LANGUAGE sql STABLE AS $$
            SELECT EXISTS (
                SELECT FROM pg_db_role_setting s JOIN pg_database d ON d.oid = s.setdatabase
                WHERE d.datname = current_database() AND s.setrole = 0
                  AND 'fehaciente.clock_may_move=on' = ANY (s.setconfig));
        $$;

        CREATE FUNCTION registry_guard_clock() RETURNS trigger LANGUAGE plpgsql AS $$
        DECLARE claimed timestamptz;
        BEGIN
            EXECUTE format('SELECT ($1).%I', TG_ARGV[0]) INTO claimed USING NEW;
            IF abs(extract(epoch FROM clock_timestamp() - claimed)) > 5 AND NOT registry_clock_may_move() THEN
                RAISE EXCEPTION 'nothing is dated back or ahead: % of % is % and the clock says %',
                    TG_ARGV[0], TG_TABLE_NAME, claimed, clock_timestamp() USING ERRCODE = 'check_violation';
            END IF;
            RETURN NEW;
        END $$;
        """,
        """
        DROP FUNCTION registry_refuse_change, registry_refuse_late_child, registry_guard_clock,
            registry_clock_may_move;
        """,
    )


def refuse_changes(table: str) -> migrations.RunSQL:
    """UPDATE and DELETE on `table` raise, for the owner too."""
    return _sql(
        f'CREATE TRIGGER written_once BEFORE UPDATE OR DELETE ON "{table}" '
        "FOR EACH ROW EXECUTE FUNCTION registry_refuse_change();",
        f'DROP TRIGGER written_once ON "{table}";',
    )


def freeze_children(table: str, *, parent: str, key: str) -> migrations.RunSQL:
    """INSERT into `table` raises unless its row of `parent` was made by the same transaction."""
    return _sql(
        f'CREATE TRIGGER frozen_parent BEFORE INSERT ON "{table}" '
        f"FOR EACH ROW EXECUTE FUNCTION registry_refuse_late_child('{parent}', '{key}');",
        f'DROP TRIGGER frozen_parent ON "{table}";',
    )


def guard_clock(table: str, *, column: str) -> migrations.RunSQL:
    """INSERT raises when `column` is more than 5 s off the database clock (unless CLOCK_MAY_MOVE)."""
    return _sql(
        f'CREATE TRIGGER clock_guard BEFORE INSERT ON "{table}" '
        f"FOR EACH ROW EXECUTE FUNCTION registry_guard_clock('{column}');",
        f'DROP TRIGGER clock_guard ON "{table}";',
    )


def look_only_here(*functions: str) -> migrations.RunSQL:
    """Let functions find tables in the registry's own schema alone.

    Without it a session's temporary table is found first, whoever made it: under the name of a parent it
    would let late rows in, under that of a table of the catalogue it would let the clock move.
    """
    return _sql(
        "".join(
            f"ALTER FUNCTION {function}() SET search_path = pg_catalog, public, pg_temp;\n"
            for function in functions
        ),
        "".join(f"ALTER FUNCTION {function}() RESET search_path;\n" for function in functions),
    )
