"""The persons of the stories in these tests."""

from registry_site import clock
from registry_site.models import Person, RoleGrant, User
from registry_site.roles import Role


def person_with(*held: Role, name: str) -> User:
    """An account of a new person with these roles, given on the server's console."""
    person = Person.objects.create(name=name)
    for role in held:
        RoleGrant.objects.create(person=person, role=role, granted_by=None, granted_at=clock.now())
    address = f"{name.lower().replace(' ', '.')}@example.org"
    return User.objects.create_user(email=address, password=None, person=person)


def an_evaluator(name: str = "Elena Evaluadora") -> User:
    return person_with(Role.EVALUATOR, name=name)


def a_certifier(name: str = "Carlos Certificador") -> User:
    return person_with(Role.CERTIFIER, name=name)


def a_service(name: str = "carga-nocturna") -> User:
    return User.objects.create_user(email=f"{name}@example.org", password=None, service_name=name)
